# bench/peers/desolve.R: deSolve with functions in R and in C. Arguments: the shared object of problems.c, problems.
# Prints: program,method,problem,tolerance,ms,values at the end.
suppressPackageStartupMessages(library(deSolve))
given <- commandArgs(trailingOnly = TRUE)
object <- given[1]
dyn.load(object)
dll <- sub("\\.so$", "", basename(object))

n <- 100
s <- (1:n)/(n + 1)
problems <- list(
  lv = list(y = c(10, 5), end = 15, abs = 1e-3, f = function(t, y, p)
    list(c(y[1]*(1.5 - y[2]), y[2]*(y[1] - 3)))),
  brusselator = list(y = c(1.5, 3), end = 20, abs = 1e-3, f = function(t, y, p)
    list(c(1 + y[1]^2*y[2] - 4*y[1], 3*y[1] - y[1]^2*y[2]))),
  robertson = list(y = c(1, 0, 0), end = 40, abs = 1e-6, f = function(t, y, p) {
    a <- 1e4*y[2]*y[3] - 0.04*y[1]
    c <- 3e7*y[2]^2
    list(c(a, -a - c, c))
  }),
  vdp = list(y = c(2, -0.66), end = 2, abs = 1e-3, f = function(t, y, p)
    list(c(y[2], ((1 - y[1]^2)*y[2] - y[1])/1e-6))),
  heat = list(y = sin(pi*s) + 0.5*sin(3*pi*s), end = 0.1, abs = 1e-3, f = function(t, y, p)
    list((n + 1)^2*(c(0, y[-n]) - 2*y + c(y[-1], 0)))))
methods <- list(lv = c("lsoda", "ode45", "radau"), brusselator = c("lsoda", "ode45", "radau"), robertson = c("lsoda", "radau"),
                vdp = c("lsoda", "radau"), heat = c("lsoda", "radau"))

now <- function() as.numeric(Sys.time())*1e3
for (name in given[-1]) {
  p <- problems[[name]]
  for (method in methods[[name]]) for (form in c("R", "C")) for (tol in 10^-c(3, 5, 7, 9, 11)) {
    if (form == "C" && method == "radau") next    # needs more than a function
    f <- if (form == "R") p$f else name
    once <- function() ode(p$y, c(0, p$end), f, NULL, method = method, rtol = tol, atol = tol*p$abs, maxsteps = 1e6,
                           dllname = if (form == "C") dll, hini = if (method == "ode45") p$end/1000 else 0)
    best <- Inf
    begun <- now()
    result <- NULL
    for (k in 1:5) {
      before <- now()
      result <- tryCatch(suppressWarnings(once()), error = function(e) NULL)
      best <- min(best, now() - before)
      if (is.null(result) || now() - begun > 500) break
    }
    if (is.null(result) || nrow(result) < 2 || any(!is.finite(result[2, ]))) next
    y <- result[2, -1]
    if (name == "heat") y <- y[c(25, 50)]
    cat(paste(c(paste("deSolve", form), method, name, sprintf("%g", tol), sprintf("%.4f", best), sprintf("%.17g", y)),
              collapse = ","), "\n", sep = "")
    if (best > 4000) break
  }
}

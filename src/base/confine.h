// src/base/confine.h: code of a model runs where it can start no program, open no file for writing and no
// socket; what the library itself must do is done outside.
#pragma once
#include <pthread.h>
#include <stdbool.h>

// Do `work` in a thread that is confined, as are all threads that it starts, and wait for it. Returns by
// what: 1 seccomp, 2 Landlock, 3 both, 0 nothing: the system has neither, and the work was done all the same.
int confine_call(void (*work)(void *self), void *self);

// Do `work` where nothing is confined, and wait for it: at once if this thread is not.
void confine_outside(void (*work)(void *self), void *self);

// A thread that is not confined; as pthread_create with no attributes.
int confine_thread(pthread_t *thread, void *(*work)(void *self), void *self);

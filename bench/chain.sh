#!/usr/bin/env bash
# CSMP chains of 10^4, 10^5 and 10^6 blocks, lines shuffled: read, order, compile, ten Euler steps
. "$BENCH/common.sh"
cc -O2 -o "$BUILD/wall" "$BENCH/wall.c"

# A chain of sections of five blocks: a lag, a gain, a product with the first block, a sign. Every fifth block is an
# integrator, and weights differ from section to section.
lags() {
    awk -v n="$1" 'BEGIN {
        print "K, 1, 0.5"
        before = 1
        for (k = 2; k + 4 <= n; k += 5) {
            s = (k - 2)/5
            printf "W, %d, %g, %d, -0.5, %d\nI, %d, %g, %d\n", k, 0.5 + s%7*0.1, before, k + 1, k + 1, s%11*0.1, k
            printf "GAIN, %d, %g, %d\nX, %d, %d, 1\n-, %d, %d\n", k + 2, 0.3 + s%13*0.05, k + 1, k + 3, k + 2, k + 4, k + 3
            before = k + 4
        }
        printf "O, %d, %d\n", n + 1, before
    }'
}

# Sign inverters one behind the other, closed by one integrator.
signs() {
    awk -v n="$1" 'BEGIN {
        printf "I, 1, 1, %d\n", n
        for (k = 2; k <= n; k++) printf "-, %d, %d\n", k, k - 1
        printf "O, %d, 1\n", n + 1
    }'
}

# Blocks of five kinds in no order, one behind the other: nothing repeats but the kinds.
mixed() {
    awk -v n="$1" 'BEGIN {
        printf "I, 1, 1, %d\n", n
        random = 1
        for (k = 2; k <= n; k++) {
            random = random*16807%2147483647    # exact in doubles
            kind = int(random/64)%5
            if (kind == 0) printf "-, %d, %d\n", k, k - 1
            else if (kind == 1) printf "GAIN, %d, %g, %d\n", k, 0.5 + k%7*0.1, k - 1
            else if (kind == 2) printf "OFFSET, %d, %g, %d\n", k, k%5*0.01, k - 1
            else if (kind == 3) printf "SIN, %d, %d\n", k, k - 1
            else printf "W, %d, 0.5, %d, 0.5, 1\n", k, k - 1
        }
        printf "O, %d, 1\n", n + 1
    }'
}

for kind in lags signs mixed; do
    for n in 10000 100000 1000000; do
        printf '$endtime = 0.1\n$timestep = 0.01\n$comminterval = 0.1\n' >"$BUILD/chain.csmp"
        "$kind" $n | shuf --random-source=<(yes) >>"$BUILD/chain.csmp"
        runs=$((n > 500000 ? 3 : 15))
        read -r ms kb < <("$BUILD/wall" $runs "$ORRERY" run "$BUILD/chain.csmp" --solver euler --quiet)
        per=$(awk -v ms="$ms" -v n=$n 'BEGIN { printf "%.3f", ms*1e3/n }')
        echo "chain $kind $n blocks: $ms ms, $per us each, $((kb / 1000)) MB"
        if [ $n -eq 10000 ]; then first=$per; fi
    done
    judge chain "$kind growth" "$(ratio "$per" "$first")" 1.6
    judge chain "$kind seconds" "$(ratio "$ms" 1000)" 15
    judge chain "$kind gigabytes" "$(ratio "$kb" 1000000)" 2
    rm "$BUILD/chain.csmp"
done
echo "chain ratio $(ratio "$per" "$first")"
exit $missed

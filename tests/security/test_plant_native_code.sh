#!/bin/bash
# tests/security/test_plant_native_code.sh: somebody who can write to the cache wants this user to run an object.
. "$ORRERY_SOURCE_DIR/tests/common/shell.sh"
command -v cc >/dev/null || exit 77
export ORRERY_CACHE=$work/cache
printf "model M\n  var x = 1\n  x' = -x\nend\n" >m.orr
native() { run run m.orr --until 1 --solver rk4 --step 0.1 --code native --stats --quiet; }
native
expect_status 0
expect_err 'native'
expect_equal "$(stat -c %a cache)" 700
expect_equal "$(stat -c %a cache/native)" 700
expect_equal "$(stat -c %a cache/secret)" 600
object=$(echo cache/native/*.so)
expect_equal "$(stat -c %a "$object")" 600
key=$(od -An -tx1 cache/secret)
check; ((${#key} == 48)) || fail "the secret has not 16 bytes: $key"
# an object of an attacker's: it would write a file when it is loaded
cat >evil.c <<'C'
#include <fcntl.h>
__attribute__((constructor)) static void f(void) { open("/tmp/planted", O_CREAT | O_WRONLY, 0600); }
C
sed -i "s|/tmp/planted|$work/planted|" evil.c
cc -shared -fPIC -o evil.so evil.c
seal() {    # as long as the old seals: magic, number of bytes, a hash of the attacker's
    cp evil.so "$object"
    python3 -c "
import struct, sys
n = len(open('evil.so', 'rb').read())
sys.stdout.buffer.write(b'orrery.$1' + struct.pack('<QQ', n, $2))" >>"$object" || exit 77
}
for magic in 1 2; do
    for hash in 0 0x123456789abcdef; do
        seal $magic $hash
        native
        expect_status 0
        expect_no_file planted
    done
done
# the seal of another user does not hold
native
cp "$object" good
rm cache/secret
native
expect_status 0
check; cmp -s good "$object" && fail "an object was kept that another secret has sealed"
# what others may write to, or is not the user's, is not used
native
before=$(stat -c %i "$object")
chmod g+w "$object"
native
expect_status 0
check; [[ $(stat -c %i "$object") != "$before" ]] || fail "an object that others may write to was used"
chmod 644 cache/secret
native
expect_equal "$(stat -c %a cache/secret)" 600
check; [[ $(od -An -tx1 cache/secret) != "$key" ]] || fail "a secret that others could read is kept"
for folder in cache cache/native; do
    chmod o+w $folder
    native
    expect_code E010
    chmod o-w $folder
    chmod g+w $folder
    native
    expect_status 0
    expect_equal "$(stat -c %a $folder)" 700
done
if [[ $(id -u) == 0 ]]; then
    for file in cache cache/native; do
        chown 65534 $file
        native
        expect_code E010
        chown 0 $file
    done
    before=$(stat -c %i "$object")
    chown 65534 "$object"
    native
    check; [[ $(stat -c %i "$object") != "$before" ]] || fail "an object of somebody else was used"
fi
finish

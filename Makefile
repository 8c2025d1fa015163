# A thin front for those who type `make`: CMake does the work (see CMakePresets.json).
#
#   make                  build the program and the libraries into build/release
#   make check            build and run all the tests
#   make install          into PREFIX (/usr/local), below DESTDIR if given
#   make uninstall        remove what the last install put there
PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   := build/release

.PHONY: all check install uninstall clean

all:
	tools/deps
	cmake --preset release
	cmake --build --preset release

check:
	./check

# built by the user, installed by root: root must not build again with a cache of its own
install: $(if $(wildcard $(BUILD)/install/liborrery.a),,all)
	DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

uninstall:
	@test -e $(BUILD)/install_manifest.txt || { echo "nothing was installed from here"; exit 1; }
	while IFS= read -r file || [ -n "$$file" ]; do rm -f "$(DESTDIR)$$file"; done < $(BUILD)/install_manifest.txt
	rm -f $(BUILD)/install_manifest.txt

clean:
	rm -rf build

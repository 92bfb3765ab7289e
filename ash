#!/usr/bin/env bash
# The ash command from a clone: finds a JDK, builds what is missing or stale, runs it.
# docs/cli.md tells about the command, `./ash doctor` about this machine.
set -eu -o pipefail

self=${BASH_SOURCE[0]}
while [ -L "$self" ]; do
    link=$(readlink "$self")
    case $link in
        /*) self=$link ;;
        *) self=$(dirname "$self")/$link ;;
    esac
done
root=$(cd -P "$(dirname "$self")" && pwd)
# shellcheck source=scripts/machine.sh
. "$root/scripts/machine.sh"

dist=$root/dist

is_stale() {
    [ -f "$dist/.built" ] || return 0
    # Folders count too: theirs is the time that changes when a file is deleted.
    [ -n "$(cd "$root" && find pom.xml ./*/pom.xml ./*/src/main examples/*/pom.xml \
        examples/*/src/main -newer "$dist/.built" -print 2>/dev/null | head -n 1)" ]
}

build() {
    if ! [ -w "$root" ]; then
        if [ -f "$dist/.built" ]; then
            say "the sources in $root are newer than the build, which this user may not renew."
            return 0
        fi
        die "$root is not built yet and this user may not write there. Run $root/ash once as its owner, or use a clone of your own."
    fi
    need_maven
    mkdir -p "$root/target"
    lock_build
    if is_stale; then # another ash may have built it meanwhile
        run_build
    fi
    unlock_build
}

run_build() {
    local fresh=$root/target/dist log=$root/target/build.log
    say "building with $java_home (log: $log)"
    rm -rf "$fresh"
    mkdir -p "$fresh"
    touch "$fresh/.built" # now, so that what changes while it builds is built next time
    : >"$log"
    if ! JAVA_HOME=$java_home mvn -B -f "$root/pom.xml" -pl bridge,server,cli,examples/qa-bot -am \
        -Ddist="$fresh" -Dmaven.test.skip=true -Dspotless.check.skip=true package 2>&1 |
        show_progress "$log"; then
        say 'the build failed:'
        { grep -E '^\[ERROR\] .|^\[WARNING\] /' "$log" || tail -n 20 "$log"; } | head -n 20 >&2
        die "all of it is in $log"
    fi
    build_id "$dist" "$fresh" >"$fresh/.id"
    # In one move: a server that runs keeps the jars it has opened.
    rm -rf "$root/target/dist.old"
    [ ! -d "$dist" ] || mv "$dist" "$root/target/dist.old"
    mv "$fresh" "$dist"
    rm -rf "$root/target/dist.old"
}

# Maven's hundreds of lines become one that changes, or one a module where nobody watches.
show_progress() {
    local line fetched=0 step='' before='ash:   ' after='\n'
    [ -t 2 ] && before='\r\033[Kash:   ' after=''
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$1"
        case $line in
            '[INFO] Building '*'/'*']')
                line=${line#'[INFO] Building '}
                # shellcheck disable=SC2001 # the runs of spaces are not a fixed text
                step=$(printf '%s' "$line" | sed 's/ [0-9][^ ]* *\[/ [/')
                # shellcheck disable=SC2059 # the format is ours
                printf "$before%s$after" "$step" >&2
                ;;
            *Downloaded\ from*)
                fetched=$((fetched + 1))
                if [ -z "$after" ]; then
                    printf "$before%s %d libraries fetched" "$step" "$fetched" >&2
                elif [ $((fetched % 100)) = 0 ]; then
                    say "  $fetched libraries fetched"
                fi
                ;;
        esac
    done
    [ -n "$after" ] || printf '\r\033[K' >&2
}

lock_build() {
    if has flock; then
        exec 9>"$root/target/build.lock"
        flock -n 9 || {
            say 'waiting for another ash that builds'
            flock 9
        }
        return
    fi
    local waited=0
    until mkdir "$root/target/build.locked" 2>/dev/null; do
        [ "$waited" -lt 600 ] || die "remove $root/target/build.locked if nothing is building."
        [ "$waited" != 0 ] || say 'waiting for another ash that builds'
        waited=$((waited + 1))
        sleep 1
    done
}

unlock_build() {
    if has flock; then exec 9>&-; else rmdir "$root/target/build.locked"; fi
}

# The cache of loaded classes for these jars and this JDK. Where there is none yet, it is made in
# the background, and this command runs without. It never makes a command fail.
aot_flag=''
use_aot() {
    local cache folder id
    [ -z "${ASH_NO_AOT:-}" ] || return 0
    cache=$(cache_folder)
    [ -n "$cache" ] && [ -r "$dist/.id" ] || return 0
    read -r id <"$dist/.id" || return 0
    folder=$cache/aot/$id-${java_build//[!A-Za-z0-9.+-]/_}
    if [ -f "$folder/cli.aot" ]; then
        aot_flag=-XX:AOTCache=$folder/cli.aot
    elif mkdir -p "${folder%/*}" 2>/dev/null && claim "$folder"; then
        train "$folder" </dev/null >/dev/null 2>&1 &
    fi
}

# Whoever makes the folder does the work; a folder in which nothing happened for long is free again.
claim() {
    mkdir "$1" 2>/dev/null && return 0
    [ ! -e "$1/failed" ] && [ -n "$(find "$1" -maxdepth 0 -mmin +10 2>/dev/null)" ] && touch "$1"
}

train() {
    trap '' HUP INT
    cd /
    find "${1%/*}" -mindepth 1 -maxdepth 1 ! -path "$1" -exec rm -rf {} + # of earlier builds
    if nice "$java_home/bin/java" -XX:AOTCacheOutput="$1/draft.aot" "${flags[@]}" \
        dev.ash.cli.Main __train && [ -s "$1/draft.aot" ]; then
        mv -f "$1/draft.aot" "$1/cli.aot"
    else
        touch "$1/failed"
    fi
}

# The jars in one order everywhere, or the AOT cache would not fit. picocli is compiled for so old a
# Java that no AOT cache takes it and its verification is slow; on the boot class path it has none.
class_path='' boot_path=''
collect_jars() {
    local LC_ALL=C jar
    for jar in "$dist"/cli/*.jar; do
        case $jar in
            */picocli-*) boot_path=$jar ;;
            *) class_path=${class_path:+$class_path:}$jar ;;
        esac
    done
}

# Which of the three streams are terminals; to ask the JVM costs much class loading.
terminals=''
find_terminals() {
    local fd
    for fd in 0 1 2; do
        if [ -t "$fd" ]; then terminals=$terminals$fd; fi
    done
}

use_utf8
find_jdk
if is_stale; then
    need_packages bwrap:bubblewrap git:git
    build
fi
case ${1:-} in
    start | chat) need_packages bwrap:bubblewrap git:git ;;
esac

collect_jars
find_terminals
# Few classes, run once: reflection by method handles would only be paid for, never paid back.
flags=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djdk.reflect.useNativeAccessorOnly=true
    -Xlog:disable --enable-native-access=ALL-UNNAMED
    -Xbootclasspath/a:"$boot_path" -cp "$class_path")
use_aot
exec "$java_home/bin/java" ${aot_flag:+"$aot_flag"} "${flags[@]}" -Dash.dist="$dist" \
    -Dash.terminals="$terminals" dev.ash.cli.Main "$@"

#!/usr/bin/env bash
# Runs the ash command from a clone: finds a JDK, builds Ash if missing or stale, starts it.
# docs/cli.md describes the command; `./ash doctor` checks this machine.
set -eu -o pipefail

case ${BASH_SOURCE[0]} in
    */*) self=${BASH_SOURCE[0]} ;;
    *) self=./${BASH_SOURCE[0]} ;;
esac
while [ -L "$self" ]; do
    link=$(readlink "$self")
    case $link in
        /*) self=$link ;;
        *) self=${self%/*}/$link ;;
    esac
done
# Each process that this script starts delays every command by 1 to 3 ms, so it starts few.
here=$PWD
cd -P -- "${self%/*}/"
root=$PWD
cd -- "$here"
# shellcheck source=scripts/machine.sh
. "$root/scripts/machine.sh"

dist=$root/dist

is_stale() {
    [ -f "$dist/.built" ] || return 0
    # Include directories: deleting a file changes only the time of its directory.
    [ -n "$(find "$root/pom.xml" "$root"/*/pom.xml "$root"/*/src/main "$root"/examples/*/pom.xml \
        "$root"/examples/*/src/main -newer "$dist/.built" -print -quit 2>/dev/null)" ]
}

build() {
    if ! [ -w "$root" ]; then
        if [ -f "$dist/.built" ]; then
            say "the sources in $root are newer than the build, but this user has no permission to rebuild."
            return 0
        fi
        die "$root is not built, and this user has no permission to write there. Run $root/ash once as its owner, or use your own clone."
    fi
    need_maven
    mkdir -p "$root/target"
    lock_build
    if is_stale; then # another process may have built it in the meantime
        run_build
    fi
    unlock_build
}

run_build() {
    local fresh=$root/target/dist
    run_maven "$fresh" bridge,server,cli,examples/qa-bot
    build_id "$dist" "$fresh" >"$fresh/.id"
    # Replace it with a rename: a running server keeps its open jars.
    rm -rf "$root/target/dist.old"
    [ ! -d "$dist" ] || mv "$dist" "$root/target/dist.old"
    mv "$fresh" "$dist"
    rm -rf "$root/target/dist.old"
}

# Builds modules $2 and those that they use into directory $1.
run_maven() {
    local fresh=$1 log=$root/target/build.log
    say "building with $java_home (log: $log)"
    rm -rf "$fresh"
    mkdir -p "$fresh"
    touch "$fresh/.built" # before building, so that changes during the build trigger a rebuild
    : >"$log"
    if ! JAVA_HOME=$java_home mvn -B -f "$root/pom.xml" -pl "$2" -am \
        -Ddist="$fresh" -Dmaven.test.skip=true -Dspotless.check.skip=true package 2>&1 |
        show_progress "$log"; then
        say 'the build failed:'
        { grep -E '^\[ERROR\] .|^\[WARNING\] /' "$log" || tail -n 20 "$log"; } | head -n 20 >&2
        die "see the complete log in $log"
    fi
}

# Builds the benchmarks on demand. A build of Ash replaces dist, so they are never older than it.
build_bench() {
    need_maven
    mkdir -p "$root/target"
    lock_build
    if ! [ -f "$dist/bench/.built" ]; then
        run_maven "$root/target/bench" bench
        touch "$root/target/bench/bench/.built"
        rm -rf "$dist/bench"
        mv "$root/target/bench/bench" "$dist/bench"
        rm -rf "$root/target/bench"
    fi
    unlock_build
}

run_bench() {
    [ -f "$dist/bench/.built" ] || build_bench
    find_terminals
    exec "$java_home/bin/java" --enable-native-access=ALL-UNNAMED -Dash.dist="$dist" \
        -Dash.terminals="$terminals" -cp "$dist/bench/*" dev.ash.bench.Bench "$@"
}

# Shows Maven's progress on one updating line, or one line per module without a terminal.
show_progress() {
    local line downloaded=0 step='' before='ash:   ' after='\n'
    [ -t 2 ] && before='\r\033[Kash:   ' after=''
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$1"
        case $line in
            '[INFO] Building '*'/'*']')
                line=${line#'[INFO] Building '}
                # shellcheck disable=SC2001 # the number of spaces varies
                step=$(printf '%s' "$line" | sed 's/ [0-9][^ ]* *\[/ [/')
                # shellcheck disable=SC2059 # the format is not user input
                printf "$before%s$after" "$step" >&2
                ;;
            *Downloaded\ from*)
                downloaded=$((downloaded + 1))
                if [ -z "$after" ]; then
                    printf "$before%s %d libraries downloaded" "$step" "$downloaded" >&2
                elif [ $((downloaded % 100)) = 0 ]; then
                    say "  $downloaded libraries downloaded"
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
            say 'waiting for another build to finish'
            flock 9
        }
        return
    fi
    local waited=0
    until mkdir "$root/target/build.locked" 2>/dev/null; do
        [ "$waited" -lt 600 ] || die "waited 10 minutes for another build; remove $root/target/build.locked if none is running."
        [ "$waited" != 0 ] || say 'waiting for another build to finish'
        waited=$((waited + 1))
        sleep 1
    done
}

unlock_build() {
    if has flock; then exec 9>&-; else rmdir "$root/target/build.locked"; fi
}

# Uses the AOT caches for these jars and this JDK: one for this command, one for the server. If they
# do not exist, creates them in the background and runs this command without them. Failures are
# ignored.
aot_flag='' aot_directory=''
use_aot() {
    local directory id jobs=()
    [ -z "${ASH_NO_AOT:-}" ] || return 0
    find_cache
    [ -n "$cache" ] && [ -r "$dist/.id" ] || return 0
    read -r id <"$dist/.id" || return 0
    directory=$cache/aot/$id-${java_build//[!A-Za-z0-9.+-]/_}
    if [ -f "$directory/cli.aot" ]; then
        aot_flag=-XX:AOTCache=$directory/cli.aot
    elif mkdir -p "${directory%/*}" 2>/dev/null && claim "$directory"; then
        jobs+=(train)
    fi
    aot_directory=$directory
    case $command in
        start | chat)
            if ! [ -f "$directory/server.aot" ] && [ -d "$directory" ] && claim "$directory/server"; then
                jobs+=(train_server)
            fi
            ;;
    esac
    if [ "${#jobs[@]}" != 0 ]; then
        run_jobs "$directory" "${jobs[@]}" </dev/null >/dev/null 2>&1 &
    fi
}

# The process that creates the directory owns the job; a directory unchanged for 10 minutes is free.
claim() {
    mkdir "$1" 2>/dev/null && return 0
    [ ! -e "$1/failed" ] && [ -n "$(find "$1" -maxdepth 0 -mmin +10 2>/dev/null)" ] && touch "$1"
}

# Runs the jobs one after the other, so that they compete less with the command itself.
run_jobs() {
    local directory=$1 job
    shift
    trap '' HUP INT
    cd /
    for job in "$@"; do "$job" "$directory"; done
}

train() {
    find "${1%/*}" -mindepth 1 -maxdepth 1 ! -path "$1" -exec rm -rf {} + # caches of earlier builds
    if nice "$java_home/bin/java" -XX:AOTCacheOutput="$1/draft.aot" "${flags[@]}" \
        dev.ash.cli.Main __train && [ -s "$1/draft.aot" ]; then
        mv -f "$1/draft.aot" "$1/cli.aot"
    else
        touch "$1/failed"
    fi
}

# The time limit also ends the server, if the command that trains it is killed.
train_server() {
    local limit=''
    if has timeout; then limit='timeout -k 30 500'; fi
    # shellcheck disable=SC2086 # split into words
    if nice $limit "$java_home/bin/java" "${flags[@]}" -Dash.dist="$dist" \
        dev.ash.cli.Main __train-server "$1/server/draft.aot" && [ -s "$1/server/draft.aot" ]; then
        mv -f "$1/server/draft.aot" "$1/server.aot"
        rmdir "$1/server"
    else
        rm -f "$1/server/draft.aot"*
        touch "$1/server/failed"
    fi
}

# The order of jars must always be the same for the AOT cache. picocli is compiled for an old Java
# version: AOT caches exclude it and its verification is slow, except on the boot class path.
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

# Detects which standard streams are terminals; in the JVM this would load many classes.
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
    bench)
        need_packages bwrap:bubblewrap git:git python3:python3
        run_bench "${@:2}"
        ;;
esac

collect_jars
find_terminals
# For a short run, method handles for reflection cost more than they save.
flags=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djdk.reflect.useNativeAccessorOnly=true
    -Xlog:disable --enable-native-access=ALL-UNNAMED
    -Xbootclasspath/a:"$boot_path" -cp "$class_path")
command=${1:-}
use_aot
exec "$java_home/bin/java" ${aot_flag:+"$aot_flag"} "${flags[@]}" -Dash.dist="$dist" \
    ${aot_directory:+-Dash.aot="$aot_directory"} -Dash.terminals="$terminals" dev.ash.cli.Main "$@"

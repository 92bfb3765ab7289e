set -e
git init -q --bare origin.git
git init -q work && cd work
git config user.name test && git config user.email test@example.com
seq 1 2000 > numbers && git add numbers && git commit -qm one
git checkout -qb topic && seq 2 3000 > numbers && git commit -qam two
git checkout -q - && git merge -q --no-ff -m merge topic
git push -q ../origin.git --all && git clone -q ../origin.git ../clone
git gc -q && git fsck --no-progress && git worktree add -q ../tree topic
test "$(git -C ../clone log --all --format=%s | sort | tr '\n' ' ')" = "merge one two "

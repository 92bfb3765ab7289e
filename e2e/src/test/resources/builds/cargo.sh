set -e
[ ! -d toolchain ] || export PATH="$PWD/toolchain/bin:$PATH"
export CARGO_HOME="$PWD/cargo-home" CARGO_NET_OFFLINE=true
mkdir -p app/src helper/src
printf '[package]\nname = "helper"\nversion = "1.0.0"\nedition = "2021"\n' > helper/Cargo.toml
echo 'pub fn add(a: u32, b: u32) -> u32 { a + b }' > helper/src/lib.rs
printf '[package]\nname = "app"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\nhelper = { path = "../helper" }\n' > app/Cargo.toml
cat > app/src/main.rs <<'EOF'
fn main() {
    let sum = std::thread::spawn(|| helper::add(1, 2)).join().unwrap();
    println!("{sum}");
}

#[test]
fn adds() {
    assert_eq!(3, helper::add(1, 2));
}
EOF
cd app
cargo build --quiet --release && test "$(target/release/app)" = 3
cargo test --quiet

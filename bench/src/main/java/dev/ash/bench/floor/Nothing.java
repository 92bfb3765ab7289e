package dev.ash.bench.floor;

/** The smallest Java program. With an argument it waits until its standard input is closed. */
public final class Nothing {
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            System.out.println("ready");
            System.in.read();
        }
    }

    private Nothing() {}
}

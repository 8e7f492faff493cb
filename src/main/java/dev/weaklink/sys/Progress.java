package dev.weaklink.sys;

/** Learns how far a long piece of work has come. Safe to call from several threads. */
public interface Progress {
    /** Shows nothing. */
    Progress NONE = new Progress() {
        @Override
        public void start(int total, String things) {}

        @Override
        public void step(int count) {}

        @Override
        public void done() {}
    };

    /** {@code total} steps lie ahead; {@code things} is what they are, in the plural. */
    void start(int total, String things);

    /** {@code count} more steps are done. */
    void step(int count);

    /** The work is over; whatever was shown is taken back. */
    void done();
}

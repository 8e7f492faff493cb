package dev.weaklink.sys;

/** Receives the progress of a long operation. Implementations must be thread-safe. */
public interface Progress {
    Progress NONE = new Progress() {
        @Override
        public void start(int total, String things) {}

        @Override
        public void step(int count) {}

        @Override
        public void done() {}
    };

    void start(int total, String things);

    void step(int count);

    void done();
}

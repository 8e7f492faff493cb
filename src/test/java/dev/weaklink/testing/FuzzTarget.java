package dev.weaklink.testing;

import java.util.List;

/** A reader that the fuzzer calls with arbitrary bytes. */
public interface FuzzTarget {
    /**
     * Reads the bytes. The implementation handles the reader's errors for bad input.
     *
     * @throws Exception for any other failure, which is a finding of the fuzzer
     */
    void take(byte[] bytes) throws Exception;

    /** Returns small valid inputs from which the fuzzer starts. */
    List<byte[]> seeds() throws Exception;
}

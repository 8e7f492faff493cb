package dev.weaklink.testing;

import java.util.List;

/** A reader to be given bytes of every kind. */
public interface FuzzTarget {
    /**
     * Reads the bytes. What its reader says of bad input is dealt with here.
     *
     * @throws Exception whatever else happens, which is a finding
     */
    void take(byte[] bytes) throws Exception;

    /** Inputs to begin with, small ones that are in order. */
    List<byte[]> seeds() throws Exception;
}

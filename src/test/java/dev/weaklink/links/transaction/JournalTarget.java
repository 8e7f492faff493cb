package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionDirectory.JournalFiles;
import dev.weaklink.testing.FuzzTarget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Fuzzes the parser of journals. */
public final class JournalTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        try {
            JournalFiles.record(bytes);
            JournalFiles.progress(bytes);
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).indexOf('\n') >= 0) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public List<byte[]> seeds() {
        return List.of(
                "{\"schema\":\"weaklink.transaction/1\",\"id\":1,\"reason\":\"x\"}".getBytes(StandardCharsets.UTF_8));
    }
}

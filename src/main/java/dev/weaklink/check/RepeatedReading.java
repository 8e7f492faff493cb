package dev.weaklink.check;

import dev.weaklink.check.ModuleFacts.ModuleInput;
import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile;
import dev.weaklink.format.archive.PackageFile.EntryVisitor;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.Workers;
import dev.weaklink.system.ModuleNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Reads some modules again. The code for plain files uses classes instead of lambdas, because creating the first lambda
 * would slow down the start of most checks.
 */
final class RepeatedReading {
    /**
     * A visitor for the unpacked contents of a file, which are valid only during the call. Several threads may call it.
     */
    @FunctionalInterface
    interface Visitor {
        void visit(int index, byte[] data, int length);
    }

    private final ModuleInput[] sources;
    private final int threads;
    private final Visitor visitor;

    RepeatedReading(ModuleInput[] sources, int threads, Visitor visitor) {
        this.sources = sources;
        this.threads = threads;
        this.visitor = visitor;
    }

    void read(BitSet wanted) {
        int[] plain = new int[wanted.cardinality()];
        int count = 0;
        Map<Path, Map<String, Integer>> packages = new LinkedHashMap<>();
        for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
            PackagedModule packaged = sources[i].packaged();
            if (packaged == null) {
                plain[count++] = i;
            } else {
                packages.computeIfAbsent(sources[i].file(), file -> new HashMap<>())
                        .put(packaged.member(), i);
            }
        }
        readFiles(plain, count);
        if (!packages.isEmpty()) {
            readPackages(new ArrayList<>(packages.entrySet()));
        }
    }

    private void readFiles(int[] indexes, int count) {
        Supplier<IntConsumer> readers = new Supplier<>() {
            @Override
            public IntConsumer get() {
                return reader(indexes);
            }
        };
        Workers.start(count, threads, readers).finish();
    }

    private IntConsumer reader(int[] indexes) {
        FileContents contents = FileContents.ofWorker();
        return new IntConsumer() {
            @Override
            public void accept(int task) {
                int index = indexes[task];
                try {
                    contents.load(sources[index].file());
                    visitor.visit(index, contents.bytes(), contents.length());
                } catch (UnreadableException e) {
                    // the file was readable a moment ago: the verdict will list the check as not done
                    return;
                } finally {
                    contents.release();
                }
            }
        };
    }

    private void readPackages(List<Map.Entry<Path, Map<String, Integer>>> packages) {
        IntConsumer reader = task ->
                readPackage(packages.get(task).getKey(), packages.get(task).getValue());
        Workers.start(packages.size(), threads, Workers.all(reader)).finish();
    }

    private void readPackage(Path file, Map<String, Integer> members) {
        try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
            open.forEach(new PackagedContents(file, members));
        } catch (UnreadableException e) {
            return;
        }
    }

    private final class PackagedContents implements EntryVisitor {
        private final FileContents contents = FileContents.ofWorker();
        private final Path file;

        private final Map<String, Integer> members;

        PackagedContents(Path file, Map<String, Integer> members) {
            this.file = file;
            this.members = members;
        }

        @Override
        public boolean wants(String path) {
            return ModuleNames.isModuleFile(path.substring(path.lastIndexOf('/') + 1));
        }

        @Override
        public void visit(PackageEntry entry) throws IOException {
            Integer number = members.get(entry.member());
            if (number == null || entry.type() != EntryType.FILE) {
                return;
            }
            try {
                contents.load(file.toString(), entry.contents(), entry.size());
                visitor.visit(number, contents.bytes(), contents.length());
            } catch (UnreadableException e) {
                if (e.kind() != UnreadableException.UnreadableKind.CONTENTS) {
                    throw e;
                }
            } finally {
                contents.release();
            }
        }

        @Override
        public void problem(String subject, String message) {
            // The first reading reported the problem.
        }
    }
}

package dev.weaklink.system;

import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile;
import dev.weaklink.format.archive.PackageFile.EntryVisitor;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.cache.PackageFacts.PackageFactsWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Reads all relevant facts of a package in one pass, because decompression takes most of the time. Links in the package
 * are skipped.
 */
final class PackageScan implements EntryVisitor {
    /**
     * The maximum total size in bytes of kernel files other than modules, as stored in all packages. Kernel images have
     * up to 50 MiB, symvers files a few.
     */
    static final long MAX_HELD = 256L << 20;

    private final FileContents contents = FileContents.ofWorker();
    private final String given;
    private final AtomicLong room;
    private final PackageFactsWriter found = new PackageFactsWriter();

    private PackageScan(String given, AtomicLong room) {
        this.given = given;
        this.room = room;
    }

    /**
     * Reads a package.
     *
     * @param given the package's name for reports
     * @param room the remaining number of bytes for files that are not modules
     * @param progress receives the number of bytes of each read
     */
    static PackageFactsWriter read(Path file, String given, AtomicLong room, LongConsumer progress) {
        PackageScan scan = new PackageScan(given, room);
        try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT, progress)) {
            open.forEach(scan);
        } catch (UnreadableException e) {
            scan.found.failure(e.reason());
        }
        return scan.found;
    }

    static boolean isModule(String path) {
        return ModuleNames.isModuleFile(path.substring(path.lastIndexOf('/') + 1));
    }

    @Override
    public boolean wants(String path) {
        return isModule(path) || KernelPath.of(path) != null;
    }

    @Override
    public void visit(PackageEntry entry) throws IOException {
        if (entry.type() != EntryType.FILE) {
            return;
        }
        if (isModule(entry.path())) {
            module(entry);
        } else if (room.addAndGet(-entry.size()) < 0) {
            room.addAndGet(entry.size());
            problem(
                    entry.member(),
                    "skipped: the kernel files of all given packages together exceed " + MAX_HELD + " bytes");
        } else {
            found.file(entry, entry.contents().readNBytes((int) entry.size()));
        }
    }

    private void module(PackageEntry entry) throws IOException {
        Origin origin = new Origin(given, entry.member());
        try {
            contents.load(origin.toString(), entry.contents(), entry.size());
            KernelModule module = ModuleReader.read(origin, contents.bytes(), contents.length())
                    .with(contents.packing());
            found.module(entry, module, runtime(module));
        } catch (UnreadableException e) {
            if (e.kind() != UnreadableException.UnreadableKind.CONTENTS) {
                throw e;
            }
            found.unreadable(entry, e.reason());
        } finally {
            contents.release();
        }
    }

    private RuntimeNames runtime(KernelModule module) {
        return RuntimeNames.isAskedFor(module)
                ? ModuleReader.readRuntimeNames(contents.bytes(), contents.length())
                : RuntimeNames.NONE;
    }

    @Override
    public void problem(String subject, String message) {
        found.problem(subject, message);
    }
}

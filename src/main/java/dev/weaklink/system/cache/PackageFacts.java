package dev.weaklink.system.cache;

import dev.weaklink.format.archive.HeldBytes;
import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.module.InternedNames;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.module.RuntimeNames;
import java.nio.BufferOverflowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The facts read from a package.
 *
 * @param modules the modules in the package's order, each member once
 * @param files the kernel files in the package's order, each member once
 * @param problems the problems met, mostly entries that were left out, each with the reason
 * @param failure the reason why the package could not be read to its end, null if it could
 */
public record PackageFacts(
        List<PackagedModule> modules,
        List<KernelFile> files,
        List<PackageProblem> problems,
        @Nullable String failure) {
    /**
     * A kernel's file other than a module.
     *
     * @param info the package that contains the file; in a bundle (a tar archive of packages), the innermost package
     * @param member the file's path in the package, preceded in a bundle by the path of the inner package
     * @param path the normalised absolute path
     */
    public record KernelFile(PackageInfo info, String member, String path, HeldBytes bytes) {}

    /**
     * A problem met while reading a package, mostly an entry that was left out.
     *
     * @param subject the entry's name, unescaped; empty for the package itself
     */
    public record PackageProblem(String subject, String message) {}

    public static Origin.@Nullable Owner owner(PackageInfo info) {
        return info.name().isEmpty()
                ? null
                : new Origin.Owner(info.kind().id(), info.name(), info.version(), info.product());
    }

    /**
     * Collects the facts of a package in encoded form, because a kernel package has thousands of modules, of which
     * later steps need few. {@link PackageSegment} documents the format.
     */
    public static final class PackageFactsWriter {
        private static final int FIRST_ROOM = 1 << 16;
        private static final byte[] NO_FACTS = new byte[0];

        private final InternedNames names = new InternedNames();
        private final SegmentBytes room = new SegmentBytes(FIRST_ROOM);
        private final ModuleEncoder encoder = new ModuleEncoder(room, names);
        private final List<PackageFacts.PackageProblem> problems = new ArrayList<>();
        private final Map<String, EncodedModule> modules = new LinkedHashMap<>();
        private final Map<String, DraftKernelFile> files = new LinkedHashMap<>();
        private @Nullable String failure;

        private record EncodedModule(
                PackageInfo info,
                String container,
                String path,
                byte[] facts,
                @Nullable String failure,
                RuntimeNames runtime) {}

        private record DraftKernelFile(PackageInfo info, String member, String path, byte[] contents) {}

        public void module(PackageEntry entry, KernelModule module, RuntimeNames runtime) {
            room.rewind(0);
            try {
                encoder.write(module);
            } catch (BufferOverflowException e) {
                unreadable(entry, "weaklink's record of this module would be larger than 512 MiB");
                return;
            }
            put(entry, Arrays.copyOf(room.array(), room.position()), null, runtime);
        }

        public void unreadable(PackageEntry entry, String reason) {
            put(entry, NO_FACTS, reason, RuntimeNames.NONE);
        }

        private void put(PackageEntry entry, byte[] facts, @Nullable String reason, RuntimeNames runtime) {
            modules.put(
                    entry.member(),
                    new EncodedModule(entry.owner(), entry.container(), entry.path(), facts, reason, runtime));
        }

        public void file(PackageEntry entry, byte[] contents) {
            files.put(entry.member(), new DraftKernelFile(entry.owner(), entry.member(), entry.path(), contents));
        }

        public void problem(String subject, String message) {
            problems.add(new PackageFacts.PackageProblem(subject, message));
        }

        public void failure(String reason) {
            failure = reason;
        }

        boolean isWorthKeeping() {
            return failure == null && !(modules.isEmpty() && files.isEmpty());
        }

        List<SegmentBytes> parts() {
            List<SegmentBytes> contents = new ArrayList<>(files.size() + modules.size());
            SegmentBytes head = new SegmentBytes(FIRST_ROOM);
            head.text(failure);
            head.i32(problems.size());
            for (PackageFacts.PackageProblem problem : problems) {
                head.text(problem.subject());
                head.text(problem.message());
            }
            head.i32(files.size());
            for (DraftKernelFile file : files.values()) {
                info(file.info(), head);
                head.text(file.member());
                head.text(file.path());
                head.i32(file.contents().length);
                contents.add(SegmentBytes.of(file.contents()));
            }
            head.i32(modules.size());
            PackageInfo last = null;
            for (EncodedModule module : modules.values()) {
                head.bool(module.info() == last);
                if (module.info() != last) {
                    last = module.info();
                    info(last, head);
                }
                head.text(module.container());
                head.text(module.path());
                head.text(module.failure());
                head.i32(module.facts().length);
                contents.add(SegmentBytes.of(module.facts()));
                head.texts(module.runtime().symbols());
            }
            SegmentBytes length = new SegmentBytes(Integer.BYTES);
            length.i32(head.position());
            List<SegmentBytes> parts = new ArrayList<>(List.of(SegmentWriter.bytes(names), length, head));
            parts.addAll(contents);
            return parts;
        }

        private static void info(PackageInfo owner, SegmentBytes out) {
            out.u8(owner.kind().ordinal());
            out.text(owner.name());
            out.text(owner.version());
            out.text(owner.product());
            out.i32(owner.requires().size());
            for (PackageRelation required : owner.requires()) {
                out.text(required.name());
                out.text(required.operator());
                out.text(required.version());
            }
        }
    }
}

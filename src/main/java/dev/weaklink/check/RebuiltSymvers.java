package dev.weaklink.check;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.module.Exports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleArguments;
import dev.weaklink.system.ModuleSource;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Makes one table of the exports of a kernel image and of modules. Throws if a module expects another CRC than the
 * image has.
 */
record RebuiltSymvers(String image, ExportTable vmlinux, int threads) {
    private static final String IN_TREE = "kernel";
    private static final String BELOW = "/" + IN_TREE + "/";

    /**
     * Returns the exports of the image and of the modules below a directory. If the directory is the module directory
     * of a kernel, reads only the in-tree modules, which are below {@code kernel}.
     */
    ExportTable withDirectory(Path directory) throws IOException {
        Path inTree = directory.resolve(IN_TREE);
        Path top = Files.isDirectory(inTree) ? inTree : directory;
        ModuleArguments found =
                ModuleArguments.expand(List.of(top.toString()), InputStream.nullInputStream(), Root.HOST, List.of());
        for (InputProblem problem : found.problems()) {
            throw new IOException(problem.subject() + ": " + problem.message());
        }
        List<ModuleFacts.ModuleInput> sources = new ArrayList<>();
        List<String> owners = new ArrayList<>();
        for (ModuleSource module : found.modules()) {
            sources.add(new ModuleFacts.ModuleInput(module.host(), module.display()));
            owners.add(owner(module.display().substring(top.toString().length())));
        }
        return with(sources, owners);
    }

    ExportTable withTree(ModuleTree tree, Map<String, PackagedModule> packaged) throws IOException {
        String top = tree.directory().inside() + "/" + IN_TREE + "/";
        List<ModuleFacts.ModuleInput> sources = new ArrayList<>();
        List<String> owners = new ArrayList<>();
        for (ModuleFile file : tree.all()) {
            if (file.inside().startsWith(top)) {
                String inside = file.inside();
                sources.add(new ModuleFacts.ModuleInput(file.host(), Origin.file(inside), null, packaged.get(inside)));
                owners.add(owner(inside.substring(top.length())));
            }
        }
        return with(sources, owners);
    }

    ExportTable with(List<KernelModule> inTree) throws IOException {
        ExportTableBuilder rows = new ExportTableBuilder(vmlinux.size() * 3);
        rows.addAll(vmlinux);
        for (KernelModule module : inTree) {
            String member = module.origin().member();
            String path = member == null ? module.origin().file() : member;
            requireSameBuild(module);
            add(rows, module.exports(), owner(path.substring(path.indexOf(BELOW) + BELOW.length())));
        }
        return rows.build();
    }

    private static String owner(String path) {
        String below = path.startsWith("/") ? path.substring(1) : path;
        int ending = below.lastIndexOf(".ko");
        return ending < 0 ? below : below.substring(0, ending);
    }

    private ExportTable with(List<ModuleFacts.ModuleInput> sources, List<String> owners) throws IOException {
        ModuleFacts facts = ModuleFacts.start(
                        sources.toArray(new ModuleFacts.ModuleInput[0]),
                        ReadOptions.uncached(threads),
                        module -> false,
                        count -> {})
                .finish();
        ExportTableBuilder rows = new ExportTableBuilder(vmlinux.size() * 3);
        rows.addAll(vmlinux);
        for (int i = 0; i < sources.size(); i++) {
            KernelModule module = facts.module(i);
            if (module == null) {
                throw new IOException(sources.get(i).origin() + ": " + facts.failure(i));
            }
            requireSameBuild(module);
            add(rows, module.exports(), owners.get(i));
        }
        return rows.build();
    }

    private static void add(ExportTableBuilder rows, Exports exports, String path) {
        SymbolNames names = exports.names();
        int owner = rows.owner(path);
        for (int i = 0; i < names.size(); i++) {
            rows.add(
                    names.bytes(),
                    names.offset(i),
                    names.length(i),
                    exports.hasCrc().get(i) ? exports.crcs()[i] : null,
                    exports.gplOnly().get(i),
                    owner,
                    rows.namespace(exports.namespaces()[i]));
        }
    }

    private void requireSameBuild(KernelModule module) throws IOException {
        VersionTable versions = module.versions();
        for (int i = 0; versions != null && i < versions.names().size(); i++) {
            int row = vmlinux.find(versions.names(), i);
            if (row >= 0 && vmlinux.hasCrc(row) && vmlinux.crc(row) != (int) versions.crcs()[i]) {
                throw new IOException(module.origin()
                        + ": is not of the same build as "
                        + image
                        + ": the module needs "
                        + versions.names().name(i)
                        + " with CRC "
                        + Numbers.crc((int) versions.crcs()[i])
                        + ", the image exports "
                        + Numbers.crc(vmlinux.crc(row)));
            }
        }
    }
}

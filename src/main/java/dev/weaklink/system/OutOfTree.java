package dev.weaklink.system;

import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.ModuleTree.ModuleFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes out-of-tree modules from modules that are part of the kernel. Files in extra, updates and weak-updates,
 * and files outside of the kernel's directory, are out-of-tree. Any other file is part of the kernel if only this file
 * matches a line of modules.order. The same applies if the package that owns modules.order also owns the file.
 * Otherwise the module's modinfo decides; an unreadable file is out-of-tree.
 */
public final class OutOfTree {
    private static final List<String> DIRECTORIES = List.of("extra/", "updates/", "weak-updates/");
    private static final String ORDER = "modules.order";
    private static final String PACKAGE_LISTS = "/var/lib/dpkg/info";

    /**
     * The maximum size of a list in bytes. A real modules.order has 300 KiB; the file list of a kernel package has 500
     * KiB.
     */
    private static final int MAX_LIST = 16 << 20;

    private final @Nullable Root root;
    private final ModulesDirectory directory;
    private final String release;
    private @Nullable Set<String> listed;
    private final Map<String, Boolean> decided = new HashMap<>();

    private OutOfTree(@Nullable Root root, ModulesDirectory directory) {
        this.root = root;
        this.directory = directory;
        this.release = directory.inside().substring(directory.inside().lastIndexOf('/') + 1);
    }

    static OutOfTree in(Root root, ModulesDirectory directory) {
        return new OutOfTree(root, directory);
    }

    /**
     * Returns an instance for a kernel's package, in which all modules are in-tree except modules in extra, updates and
     * weak-updates.
     */
    static OutOfTree inPackage(ModulesDirectory directory) {
        return new OutOfTree(null, directory);
    }

    public static List<ModuleFile> of(ModuleTree tree) {
        return tree.outOfTree();
    }

    public static boolean isDirectory(String place) {
        for (String directory : DIRECTORIES) {
            if (place.startsWith(directory)) {
                return true;
            }
        }
        return false;
    }

    public static boolean isLinkable(String inside) {
        for (String parent : ModulesDirectory.PARENTS) {
            int slash = inside.indexOf('/', parent.length() + 1);
            if (inside.startsWith(parent + "/") && slash > 0) {
                return isDirectory(inside.substring(slash + 1));
            }
        }
        return false;
    }

    boolean isListed(String place) {
        return listed().contains(withoutEnding(place));
    }

    private synchronized Set<String> listed() {
        Set<String> lines = listed;
        if (lines == null) {
            lines = new HashSet<>();
            String order = root == null ? "" : new RootText(root).read(directory.inside() + "/" + ORDER, MAX_LIST);
            for (int start = 0; start < order.length(); ) {
                int end = order.indexOf('\n', start);
                end = end < 0 ? order.length() : end;
                lines.add(withoutEnding(order.substring(start, end)));
                start = end + 1;
            }
            listed = lines;
        }
        return lines;
    }

    synchronized List<ModuleFile> among(List<ModuleFile> files) {
        List<ModuleFile> added = new ArrayList<>();
        List<ModuleFile> open = new ArrayList<>();
        Map<String, ModuleFile> ofLine = new HashMap<>();
        Set<String> repeated = new HashSet<>();
        for (ModuleFile file : files) {
            String place = place(file);
            if (place == null || isDirectory(place)) {
                added.add(file);
            } else if (root != null) {
                String line = withoutEnding(place);
                if (!listed().contains(line)) {
                    open.add(file);
                    continue;
                }
                // A line of modules.order may match several files, such as a.ko beside a.ko.xz.
                ModuleFile first = ofLine.putIfAbsent(line, file);
                if (first != null) {
                    open.add(file);
                    if (repeated.add(line)) {
                        open.add(first);
                    }
                }
            }
        }
        List<ModuleFile> undecided = new ArrayList<>();
        for (ModuleFile file : open) {
            if (!decided.containsKey(file.inside())) {
                undecided.add(file);
            }
        }
        if (root != null && !undecided.isEmpty()) {
            decide(root, undecided);
        }
        for (ModuleFile file : open) {
            if (Boolean.TRUE.equals(decided.get(file.inside()))) {
                added.add(file);
            }
        }
        added.sort(null);
        return added;
    }

    private void decide(Root within, List<ModuleFile> open) {
        Set<String> packaged = ofDebianPackage(within);
        List<ModuleFile> foreign = new ArrayList<>();
        FileContents contents = FileContents.ofWorker();
        for (ModuleFile file : open) {
            boolean isOwn = packaged.contains(merged(file.inside())) || isBuiltWithKernel(file, contents);
            decided.put(file.inside(), !isOwn);
            if (!isOwn) {
                foreign.add(file);
            }
        }
        for (ModuleFile file : ofRpmPackage(within, foreign)) {
            decided.put(file.inside(), false);
        }
    }

    /** Returns whether the file is directly in a kernel's directory that has no modules.order, as on OpenWrt. */
    private boolean isFlat(ModuleFile file) {
        String place = place(file);
        return listed().isEmpty() && place != null && place.indexOf('/') < 0;
    }

    private boolean isBuiltWithKernel(ModuleFile file, FileContents contents) {
        try {
            contents.load(file.host());
            ModInfo info = ModuleReader.readModInfo(contents.bytes(), contents.length());
            String vermagic = info.first("vermagic");
            if (vermagic == null && info.first("intree") == null && isFlat(file)) {
                return true;
            }
            return "Y".equals(info.first("intree")) && vermagic != null && (vermagic + " ").startsWith(release + " ");
        } catch (UnreadableException e) {
            // the next reader of the module reports the error
            return false;
        } finally {
            contents.release();
        }
    }

    /**
     * Returns the files of the dpkg package that contains modules.order. The name of such a package contains the
     * release.
     */
    private Set<String> ofDebianPackage(Root within) {
        RootText text = new RootText(within);
        String order = merged(directory.inside()) + "/" + ORDER;
        for (String name : text.names(PACKAGE_LISTS)) {
            if (name.endsWith(".list") && name.contains(release)) {
                Set<String> files = new HashSet<>();
                for (String line :
                        text.read(PACKAGE_LISTS + "/" + name, MAX_LIST).split("\n", -1)) {
                    files.add(merged(line));
                }
                if (files.contains(order)) {
                    return files;
                }
            }
        }
        return Set.of();
    }

    private List<ModuleFile> ofRpmPackage(Root within, List<ModuleFile> files) {
        List<ModuleFile> own = new ArrayList<>();
        if (files.isEmpty() || listed().isEmpty()) {
            return own;
        }
        String order = directory.inside() + "/" + ORDER;
        List<String> paths = new ArrayList<>(List.of(order));
        files.forEach(file -> paths.add(file.inside()));
        try {
            RpmDatabase database = RpmDatabase.find(within);
            Map<String, String> owners = database == null ? Map.of() : database.owners(paths);
            String kernel = owners.get(order);
            for (ModuleFile file : files) {
                if (kernel != null && kernel.equals(owners.get(file.inside()))) {
                    own.add(file);
                }
            }
        } catch (IOException e) {
            // without rpm's database, the module's own fields decide
        }
        return own;
    }

    private @Nullable String place(ModuleFile file) {
        String base = directory.inside();
        String path = file.inside();
        return path.startsWith(base) && path.length() > base.length() && path.charAt(base.length()) == '/'
                ? path.substring(base.length() + 1)
                : null;
    }

    private static String withoutEnding(String place) {
        for (String ending : ModuleNames.ENDINGS) {
            if (place.endsWith(ending)) {
                return place.substring(0, place.length() - ending.length());
            }
        }
        return place;
    }

    private static String merged(String path) {
        return path.startsWith("/usr/lib/") ? path.substring("/usr".length()) : path;
    }
}

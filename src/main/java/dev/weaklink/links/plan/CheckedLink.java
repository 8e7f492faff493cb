package dev.weaklink.links.plan;

import dev.weaklink.sys.StableId;
import java.util.List;

/**
 * A link and its defects.
 *
 * @param kernel the kernel whose directory contains the link
 * @param path the link's path as seen inside the root directory
 * @param target the link's target as written
 * @param module the name of the module that the link provides
 * @param defects the defects, the worst first; empty if there are none
 * @param reason details about a defect, may be empty
 */
public record CheckedLink(
        String kernel, String path, String target, String module, List<LinkDefect> defects, String reason) {
    public CheckedLink {
        defects = List.copyOf(defects);
    }

    /** Returns whether removing the link is proven to break no working module. */
    public boolean mayBeRemoved() {
        if (defects.contains(LinkDefect.FOREIGN_TREE)) {
            return false;
        }
        return defects.stream().anyMatch(defect -> defect.mayBeRemoved());
    }

    public boolean isDefective() {
        return defects.stream().anyMatch(defect -> !defect.isDoubt());
    }

    /**
     * Returns whether weaklink could not prove that the kernel would load the module. A module that was built for a
     * newer kernel but would load is not doubtful.
     */
    public boolean isDoubtful() {
        return defects.contains(LinkDefect.UNDETERMINED);
    }

    public boolean onlyNeedsDepmod() {
        for (LinkDefect defect : defects) {
            if (!defect.isDoubt() && defect != LinkDefect.UNSEEN) {
                return false;
            }
        }
        return defects.contains(LinkDefect.UNSEEN);
    }

    /** The defects of a link below weak-updates, the worst first. Their ids are part of the machine-readable output. */
    public enum LinkDefect implements StableId {
        LEAVES_IMAGE("its target is a path of the host, not a path inside the root directory"),
        LEFT_BEHIND("its target in a kernel's extra or updates directory no longer exists"),
        DANGLING("its target does not exist"),
        LINK_TO_DIRECTORY("its target is a directory"),
        ONLY_LINKS("its kernel was removed; the kernel's directory contains only links"),
        OWN_KERNEL("its target is a module of the same kernel"),
        INCOMPATIBLE("the kernel would refuse the module"),
        BREAKS_OTHERS("modules that need the replaced in-tree module would no longer load"),
        BREAKS_WHEN_SEEN(
                "once depmod sees the link, modules that need the replaced in-tree module would no longer load"),
        FOREIGN_TREE("its target is outside the kernels' extra and updates directories"),
        SHADOWED("the kernel has its own build of the module"),
        UNUSED("depmod chooses another file for the module"),
        UNSEEN("modules.dep does not list the link; run depmod"),
        UNDETERMINED("whether the kernel would load the module could not be determined"),
        NEWER_KERNEL("the module was built for a newer kernel; it would load");

        private final String sentence;

        LinkDefect(String sentence) {
            this.sentence = sentence;
        }

        public String sentence() {
            return sentence;
        }

        public boolean mayBeRemoved() {
            return switch (this) {
                case LEFT_BEHIND, ONLY_LINKS, OWN_KERNEL, INCOMPATIBLE, BREAKS_WHEN_SEEN, SHADOWED -> true;
                default -> false;
            };
        }

        public boolean isDoubt() {
            return this == UNDETERMINED || this == NEWER_KERNEL;
        }
    }
}

package dev.weaklink.links.plan;

import dev.weaklink.sys.StableId;
import java.util.List;

/**
 * A link and what is wrong with it.
 *
 * @param kernel the kernel whose directory it lies in
 * @param path its path as seen from inside the root
 * @param target what is written in it
 * @param module the module it provides
 * @param defects what is wrong with it, the worst first; empty if nothing is
 * @param reason more about the worst of them, empty if there is nothing more to say
 */
public record AuditedLink(
        String kernel, String path, String target, String module, List<LinkDefect> defects, String reason) {
    public AuditedLink {
        defects = List.copyOf(defects);
    }

    /** Whether its removal is proven to take nothing away that works. */
    public boolean mayBeRemoved() {
        if (defects.contains(LinkDefect.FOREIGN_TREE)) {
            return false;
        }
        return defects.stream().anyMatch(defect -> defect.mayBeRemoved());
    }

    /** Whether something is wrong for certain. */
    public boolean isDefective() {
        return defects.stream().anyMatch(defect -> !defect.isDoubt());
    }

    /** Whether it is unknown if the module would load; that it is for a newer kernel is no doubt. */
    public boolean isDoubtful() {
        return defects.contains(LinkDefect.UNDETERMINED);
    }

    /** Whether nothing is wrong once depmod has run. */
    public boolean onlyNeedsDepmod() {
        for (LinkDefect defect : defects) {
            if (!defect.isDoubt() && defect != LinkDefect.UNSEEN) {
                return false;
            }
        }
        return defects.contains(LinkDefect.UNSEEN);
    }

    /**
     * What can be wrong with a link below weak-updates, the worst first. The ids are part of the machine-readable
     * contract.
     */
    public enum LinkDefect implements StableId {
        LEAVES_IMAGE("the target is a path of the host that does not exist in the image"),
        LEFT_BEHIND("the module it pointed to is gone from its kernel's directory"),
        DANGLING("its target does not exist"),
        LINK_TO_DIRECTORY("its target is a directory"),
        ONLY_LINKS("its kernel was removed; only links are left of it"),
        OWN_KERNEL("its target is a module of the same kernel"),
        INCOMPATIBLE("the kernel would refuse the module"),
        BREAKS_OTHERS("modules that use what it replaces would no longer load"),
        BREAKS_WHEN_SEEN("once depmod sees it, modules that use what it replaces would no longer load"),
        FOREIGN_TREE("its target is outside the kernels' extra and updates directories"),
        SHADOWED("the kernel has a build of its own of that module"),
        UNUSED("depmod chooses another file of that name"),
        UNSEEN("it is not in modules.dep; run depmod"),
        UNDETERMINED("it could not be proven that the kernel would load the module"),
        NEWER_KERNEL("the module was built for a newer kernel; it would load");

        private final String sentence;

        LinkDefect(String sentence) {
            this.sentence = sentence;
        }

        /** What it means. */
        public String sentence() {
            return sentence;
        }

        /** Whether removing the link is proven to take nothing away that works. */
        public boolean mayBeRemoved() {
            return switch (this) {
                case LEFT_BEHIND, ONLY_LINKS, OWN_KERNEL, INCOMPATIBLE, BREAKS_WHEN_SEEN, SHADOWED -> true;
                default -> false;
            };
        }

        /** Whether it only is unknown whether something is wrong, or nothing is. */
        public boolean isDoubt() {
            return this == UNDETERMINED || this == NEWER_KERNEL;
        }
    }
}

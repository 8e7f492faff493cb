package dev.weaklink.rebuild;

import dev.weaklink.rules.Rules;
import dev.weaklink.sys.StableId;
import dev.weaklink.system.DkmsTree;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a system shows about how its out-of-tree modules came to be.
 *
 * @param platform its distribution
 * @param products installed products, the surest first
 * @param dkms DKMS's tree
 * @param docaTool path of doca-kernel-support as seen from inside the root, null if not installed
 * @param bundle the installation image that was given, null if none was
 * @param rules what is in force there
 * @param unread why installed products may be missing from {@code products}, null if all were read
 */
public record Evidence(
        Platform platform,
        List<RebuildProduct> products,
        DkmsTree dkms,
        @Nullable String docaTool,
        @Nullable Bundle bundle,
        Rules rules,
        @Nullable String unread) {
    public Evidence {
        products = List.copyOf(products);
    }

    /**
     * A product whose modules are installed.
     *
     * @param kind which
     * @param version as it says itself, such as {@code 24.10-1.1.4.0}; empty if unknown
     * @param evidence what shows it, for people
     */
    public record RebuildProduct(Kind kind, String version, String evidence) {
        /** Products that can be rebuilt. The ids are what {@code --product} takes. */
        public enum Kind implements StableId {
            MLNX_OFED("MLNX_OFED"),
            MLNX_EN("MLNX_EN"),
            DOCA_OFED("DOCA-Host");

            private final String title;

            Kind(String title) {
                this.title = title;
            }

            /** Its name for people. */
            public String title() {
                return title;
            }
        }

        /** Its name and version for people. */
        public String title() {
            return version.isEmpty() ? kind.title() : kind.title() + " " + version;
        }
    }
}

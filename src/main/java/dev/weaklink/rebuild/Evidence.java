package dev.weaklink.rebuild;

import dev.weaklink.rules.Rules;
import dev.weaklink.sys.StableId;
import dev.weaklink.system.DkmsTree;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a system that show how its out-of-tree modules were built.
 *
 * @param platform the distribution
 * @param products the installed products of Mellanox, at most one of each kind, in the order of the kinds
 * @param dkms DKMS's tree
 * @param docaTool the path of doca-kernel-support inside the root directory, null if not installed
 * @param bundle the installation image of Mellanox from the command line or weaklink.conf, or null
 * @param rules the rules about products that apply to the system
 * @param unread the reason why {@code products} may be incomplete, null if all sources were readable
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
     * An installed product of Mellanox.
     *
     * @param version the product's own version, such as {@code 24.10-1.1.4.0}; empty if unknown
     * @param evidence the source of these facts, for people
     */
    public record RebuildProduct(ProductKind kind, String version, String evidence) {
        /** The products of Mellanox that weaklink can rebuild. Their ids are values for {@code --product}. */
        public enum ProductKind implements StableId {
            MLNX_OFED("MLNX_OFED"),
            MLNX_EN("MLNX_EN"),
            DOCA_OFED("DOCA-Host");

            private final String title;

            ProductKind(String title) {
                this.title = title;
            }

            public String title() {
                return title;
            }
        }

        public String title() {
            return version.isEmpty() ? kind.title() : kind.title() + " " + version;
        }
    }
}

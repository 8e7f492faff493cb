package dev.weaklink.rebuild;

import dev.weaklink.rebuild.Evidence.RebuildProduct;
import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.rules.Rules;
import dev.weaklink.sys.StableId;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Chooses how modules are rebuilt, based on rules and on evidence from the system: from DKMS packages, as a product of
 * a vendor, or with a command of the site.
 */
public final class SourceChooser {
    /** The first DOCA-Host release that ships no prebuilt modules and relies on DKMS. */
    private static final int[] DKMS_ONLY_DOCA = {3, 3};

    private static final List<String> IN_OFED = List.of(
            "mlnx-ofa_kernel",
            "mlnx-en",
            "iser",
            "isert",
            "srp",
            "mlnx-nvme",
            "mlnx-nfsrdma",
            "knem",
            "xpmem",
            "kernel-mft-mlnx");

    private final Evidence evidence;
    private final RebuildRules rules;

    public SourceChooser(Evidence evidence) {
        this.evidence = evidence;
        this.rules = new RebuildRules(evidence.rules());
    }

    /**
     * Returns the source of a product.
     *
     * @param product an id of {@link RebuildProduct.ProductKind} or of a rule's product, or a DKMS package with or
     *     without version; null for the source that rules or the system show
     */
    public Source of(@Nullable String product) {
        if (evidence.platform().family() == Platform.Family.OPENWRT) {
            return openWrt();
        }
        Source said = rules.ofSite(product);
        if (said != null) {
            return said;
        }
        List<String> dkms = product == null ? autoinstalled() : dkmsPackages(product);
        if (product != null && !dkms.isEmpty()) {
            return dkms(dkms);
        }
        Source vendor = vendor(product);
        if (vendor != null) {
            return vendor;
        }
        if (product != null) {
            Source shipped = rules.shipped(product);
            return shipped != null
                    ? shipped
                    : evidence.unread() != null
                            ? none(evidence.unread())
                            : none("no product '" + product + "' is installed here" + known());
        }
        if (evidence.unread() != null) {
            return none(evidence.unread() + "; choose a backend with --backend");
        }
        Source only = rules.only();
        if (only != null) {
            return only;
        }
        if (!dkms.isEmpty()) {
            return dkms(dkms);
        }
        return none("no build system was detected; choose a backend with --backend");
    }

    /**
     * Returns the source of the modules in one package or directory. A site's rule comes first, then the DKMS packages
     * that own the files, then a vendor's product. If no source is known, the result has no backend.
     *
     * @param unit the package or directory of the modules, or the name of the only module
     * @param product the product that rules assign to the modules; null if rules assign none
     * @param files the module files
     */
    public Source ofUnit(String unit, @Nullable String product, List<String> files) {
        if (evidence.platform().family() == Platform.Family.OPENWRT) {
            return openWrt();
        }
        Source said = rules.ofSite(product);
        if (said != null) {
            return said;
        }
        List<String> dkms = new ArrayList<>(ownedByDkms(files));
        if (!dkms.isEmpty()) {
            return dkms(dkms);
        }
        String name = unit.substring(unit.lastIndexOf('/') + 1);
        String vendors = vendorProduct(product, name, files);
        if (vendors != null) {
            Source vendor = vendor(null);
            return vendor != null
                    ? vendor
                    : evidence.unread() != null
                            ? none(evidence.unread())
                            : new Source(
                                    "mlnx", vendors, List.of(), "a module has the same name as a module of " + vendors);
        }
        return none(
                evidence.unread() != null
                        ? evidence.unread()
                        : "weaklink does not know how these modules are built; describe it in"
                                + " /etc/weaklink/local.yaml, see weaklink-rules(1)");
    }

    private static @Nullable String vendorProduct(@Nullable String product, String name, List<String> files) {
        if (StableId.of(product, List.of(RebuildProduct.ProductKind.values())) != null) {
            return product;
        }
        boolean known = IN_OFED.contains(name) || files.stream().anyMatch(SourceChooser::isOfVendor);
        return !known ? null : name.equals("mlnx-en") ? "mlnx-en" : "mlnx-ofed";
    }

    private static boolean isOfVendor(String file) {
        return file.contains("/mlnx-ofa_kernel/") || file.endsWith("/mlx_compat.ko");
    }

    private @Nullable Source vendor(@Nullable String product) {
        Bundle bundle = evidence.bundle();
        if (bundle != null && bundle.isOf(product)) {
            boolean script = bundle.script() || bundle.isPacked();
            return new Source(
                    script ? "mlnx" : "mlnx-install",
                    product == null ? "" : product,
                    List.of(),
                    (bundle.product() + " " + bundle.version()).strip() + " was given");
        }
        for (RebuildProduct installed : evidence.products()) {
            if (product == null || installed.kind().id().equals(product)) {
                return source(installed);
            }
        }
        return null;
    }

    private Source source(RebuildProduct product) {
        String shown = product.title() + " is installed (" + product.evidence() + ")";
        List<String> dkms = dkmsPackages("mlnx-ofed-kernel");
        if (!dkms.isEmpty()) {
            return new Source("dkms", product.kind().id(), dkms, shown + ", built by DKMS");
        }
        if (product.kind() != RebuildProduct.ProductKind.DOCA_OFED) {
            return new Source("mlnx", product.kind().id(), List.of(), shown);
        }
        boolean hasTool = !isFrom(product.version(), DKMS_ONLY_DOCA);
        if (evidence.docaTool() != null && hasTool) {
            return new Source("doca", product.kind().id(), List.of(), shown);
        }
        String lacking = hasTool ? "doca-extra, which contains doca-kernel-support" : "doca-ofed's DKMS packages";
        return new Source("", product.kind().id(), List.of(), shown + "; install " + lacking);
    }

    private static boolean isFrom(String version, int[] first) {
        String[] parts = version.split("[.-]", -1);
        for (int i = 0; i < first.length; i++) {
            int part = i < parts.length ? number(parts[i]) : 0;
            if (part != first[i]) {
                return part > first[i];
            }
        }
        return true;
    }

    private static int number(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /**
     * Returns the label of the DKMS package with this name (the latest version) or with this label; empty if there is
     * none.
     */
    private List<String> dkmsPackages(String name) {
        DkmsPackage latest = evidence.dkms().latest(name);
        DkmsPackage one = latest == null ? evidence.dkms().labelled(name) : latest;
        return one == null ? List.of() : List.of(one.label());
    }

    /** Returns the latest autoinstalled version of each DKMS package. */
    private List<String> autoinstalled() {
        Map<String, String> labels = new TreeMap<>();
        for (DkmsPackage one : evidence.dkms().packages()) {
            if (one.autoinstall()) {
                labels.put(one.name(), one.label());
            }
        }
        return new ArrayList<>(labels.values());
    }

    private Set<String> ownedByDkms(List<String> files) {
        Set<String> owners = new TreeSet<>();
        for (String file : files) {
            DkmsPackage owner = evidence.dkms().ownerOf(file);
            if (owner != null) {
                owners.add(owner.label());
            }
        }
        return owners;
    }

    private static Source dkms(List<String> packages) {
        String product = packages.size() == 1 ? packages.get(0) : "";
        return new Source("dkms", product, packages, "in DKMS's tree: " + String.join(", ", packages));
    }

    private static Source openWrt() {
        return none("OpenWrt: build the module's package with the SDK of exactly this OpenWrt release");
    }

    private static Source none(String reason) {
        return new Source("", "", List.of(), reason);
    }

    private String known() {
        Set<String> names = new TreeSet<>(evidence.dkms().labels());
        for (RebuildProduct product : evidence.products()) {
            names.add(product.kind().id());
        }
        return names.isEmpty() ? "" : "; known products: " + String.join(", ", names);
    }

    /**
     * The rules about building products. A site's rules override the evidence of the system. The shipped rules are the
     * last resort, because they match by name only.
     */
    private record RebuildRules(Rules rules) {
        /** Returns the source that a site rule names for the product; null if there is no such rule. */
        @Nullable
        Source ofSite(@Nullable String product) {
            return of(product, true);
        }

        /** Returns the source that a shipped rule names for the product; null if there is no such rule. */
        @Nullable
        Source shipped(@Nullable String product) {
            return of(product, false);
        }

        private @Nullable Source of(@Nullable String id, boolean site) {
            for (Product product : all()) {
                Attributed<RebuildHint> hint = product.rebuild();
                if (product.id().equals(id) && hint != null && hint.origin().isOfSite() == site) {
                    return source(product, hint);
                }
            }
            return null;
        }

        /**
         * Returns the source of the only product with a site rule; null if no product has a site rule. If several
         * products have site rules, returns a source without backend.
         */
        @Nullable
        Source only() {
            List<Product> said = new ArrayList<>();
            List<String> names = new ArrayList<>();
            for (Product product : all()) {
                Attributed<RebuildHint> hint = product.rebuild();
                if (hint != null && hint.origin().isOfSite()) {
                    said.add(product);
                    names.add(product.id());
                }
            }
            if (said.size() > 1) {
                return new Source(
                        "",
                        "",
                        List.of(),
                        "rules say how to rebuild several products: " + String.join(", ", names)
                                + "; choose one with --product");
            }
            return said.isEmpty() ? null : ofSite(said.get(0).id());
        }

        private List<Product> all() {
            List<Product> all = new ArrayList<>(rules.products());
            all.add(rules.generic());
            return all;
        }

        private static Source source(Product product, Attributed<RebuildHint> hint) {
            return new Source(
                    hint.value().backend(),
                    product.id(),
                    hint.value().packages(),
                    "by the rule in " + hint.origin(),
                    hint.value());
        }
    }

    /**
     * The DKMS packages, the product or the command from which a group of modules can be built.
     *
     * @param backend the id of the backend; empty if none is known
     * @param product the product's name on the command line; empty if it has no name
     * @param packages the DKMS packages {@code name/version} that build the modules
     * @param reason the evidence, or a description of what is missing, for people
     * @param rule the rule that names the source; null if the source results from evidence on the system
     */
    public record Source(
            String backend,
            String product,
            List<String> packages,
            String reason,
            @Nullable RebuildHint rule) {
        public Source {
            packages = List.copyOf(packages);
        }

        Source(String backend, String product, List<String> packages, String reason) {
            this(backend, product, packages, reason, null);
        }
    }
}

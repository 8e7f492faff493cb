package dev.weaklink.fleet.report;

import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedFinding;
import dev.weaklink.fleet.AuditReport.Changes;
import dev.weaklink.fleet.AuditReport.DefectChange;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.AuditedCause;
import dev.weaklink.fleet.Defect;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.loader.Outcome;
import dev.weaklink.testing.AuditReports;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sample audits for tests of the formats. */
public final class SampleAudits {
    /** A string with special characters for terminals, HTML, XML, CSV, JSON and Prometheus' format. */
    public static final String HOSTILE =
            "=1+1\u001b[31m\"'`<b>\\</script><!--]]>\u2028\u202e&amp;{}\r\n,;\u0000@\ud800%0A|";

    private static final AuditedCause REASON =
            new AuditedCause("struct", "net_device", "spelling", "net_device.reg_state became u8");

    private static final List<String> PRODUCTS =
            List.of("mlnx-ofed 24.10-1.1.4", "lustre-client 2.15.5", "gpfs 5.2.1", "zfs 2.2.6");
    private static final List<NodeState> FATES =
            List.of(NodeState.LINK, NodeState.READY, NodeState.REBUILD, NodeState.BLOCKED, NodeState.UNDETERMINED);

    private SampleAudits() {}

    /** Returns an audit of three sets on three kernels, with every state, that is small enough to read. */
    static AuditReport small() {
        Nodes ofed = numbered(1, 412);
        Nodes lustre = Nodes.of(List.of("oss1", "oss2"));
        Nodes other = Nodes.of(List.of("gpu7"));
        return new AuditReports()
                .nodes(415)
                .target("5.14.0-570.12.1.el9_6.x86_64")
                .target("5.14.0-570.el9.x86_64")
                .target("5.14.0-503.11.1.el9_5.x86_64")
                .set("5.14.0-503.11.1.el9_5.x86_64", "mlnx-ofed 24.10-1.1.4", "ib_core", "mlx5_core")
                .set("5.14.0-503.11.1.el9_5.x86_64", "lustre-client 2.15.5", "ko2iblnd", "lnet")
                .set("5.14.0-427.13.1.el9_4.x86_64", null, "knem")
                .serving(2, 2)
                .group(0, ofed, 400)
                .group(1, lustre, 2, dangling("knem"))
                .group(2, other, 1)
                .running(
                        "5.14.0-503.11.1.el9_5.x86_64",
                        new Defect(Defect.ModuleDefectKind.LOADED_DIFFERS, "mlx5_core", "B is loaded, A is on disk"),
                        numbered(17, 19))
                .libraries(
                        numbered(1, 40),
                        AuditReports.library(
                                UserspaceFinding.LibraryDefect.VERSION_MISSING,
                                "mlx5",
                                "version `IBVERBS_PRIVATE_34' not found",
                                "ibverbs-providers 44.0-2",
                                numbered(3, 4)),
                        AuditReports.library(
                                UserspaceFinding.LibraryDefect.PROVIDER_LEFT_OVER,
                                "/usr/lib64/libibverbs/libwl-rdmav34.so",
                                "libibverbs loads lib*-rdmav57.so",
                                "",
                                numbered(1, 40)))
                .refused(0, 0, NodeState.REBUILD, crc("mlx5_core", "ether_setup"), crc("ib_core", "kfree"))
                .verdict(0, 1, NodeState.LINK)
                .verdict(0, 2, NodeState.READY)
                .refused(1, 0, NodeState.BLOCKED, crc("ko2iblnd", "ib_alloc_pd"))
                .verdict(1, 1, NodeState.UNDETERMINED)
                .verdict(1, 2, NodeState.READY)
                .verdict(2, 0, NodeState.LINK)
                .verdict(2, 1, NodeState.LINK)
                .verdict(2, 2, NodeState.LINK)
                .kernel(0)
                .kernel(1)
                .kernel(2)
                .action(NodeState.REBUILD, 0, 0, ofed, "weaklink rebuild --kernel 5.14.0-570.12.1.el9_6.x86_64")
                .action(NodeState.LINK, 1, 0, ofed, "weaklink apply --kernel 5.14.0-570.el9.x86_64")
                .action(NodeState.BLOCKED, 0, 1, lustre, null)
                .incomplete(Nodes.of(List.of("oss2")))
                .missing("connection refused", numbered(998, 999))
                .problems(2)
                .changes(new Changes(
                        List.of(new DefectChange("knem: the link is dangling", lustre)),
                        List.of(new DefectChange("mlx5_ib: the link is dangling", numbered(1, 5))),
                        4,
                        numbered(6, 7),
                        numbered(996, 997)))
                .build();
    }

    /** Returns an audit of one set that must be rebuilt for the only kernel. */
    static AuditReport rebuildForTheBest() {
        return new AuditReports()
                .nodes(412)
                .target("6.1.0-56")
                .set("6.1.0-55", "zfs 2.2.6", "spl", "zfs")
                .group(0, numbered(1, 412), 412)
                .refused(0, 0, NodeState.REBUILD, crc("zfs", "kfree"))
                .kernel(0)
                .action(NodeState.REBUILD, 0, 0, numbered(1, 412), "weaklink apply --rebuild --kernel 6.1.0-56")
                .build();
    }

    /** Returns an audit of nodes without defects, and without target kernels. */
    static AuditReport calm() {
        return new AuditReports()
                .nodes(2)
                .set("6.1.0-56", "zfs 2.2.6", "spl", "zfs")
                .group(0, Nodes.of(List.of("cn1", "cn2")), 2)
                .build();
    }

    /** Returns an audit with this number of sets, each on one node, and of target kernels. */
    static AuditReport large(int sets, int targets) {
        AuditReports audit = new AuditReports().nodes(sets);
        for (int target = 0; target < targets; target++) {
            audit.target(release(targets - target));
        }
        for (int set = 0; set < sets; set++) {
            audit.set(release(set % targets), PRODUCTS.get(set % 4) + "." + set, "mlx5_core", "knem");
            audit.group(set, numbered(set + 1, set + 1), 1);
            for (int target = 0; target < targets; target++) {
                NodeState state = FATES.get((set + set / 7 + target * 3) % FATES.size());
                if (state.isRefusal()) {
                    audit.refused(set, target, state, crc("mlx5_core", "symbol_" + set % 50));
                    audit.action(state, target, set, numbered(set + 1, set + 1), "weaklink rebuild");
                } else {
                    audit.verdict(set, target, state);
                }
            }
        }
        for (int target = 0; target < targets; target++) {
            audit.kernel(target);
        }
        return audit.build();
    }

    /** Returns an audit in which every string from nodes and files is {@link #HOSTILE}. */
    static AuditReport hostile() {
        Nodes node = Nodes.of(List.of("cn1"));
        Defect defect = new Defect(Defect.ModuleDefectKind.NOT_USED, HOSTILE, HOSTILE);
        AuditedFinding finding = new AuditedFinding(
                "symbol-crc",
                "symbol.crc-mismatch",
                HOSTILE,
                HOSTILE,
                HOSTILE,
                HOSTILE,
                new AuditedCause("struct", HOSTILE, "layout", HOSTILE));
        return new AuditReports()
                .nodes(1)
                .target(HOSTILE)
                .set(HOSTILE, HOSTILE, HOSTILE)
                .group(0, node, 1, defect)
                .running(HOSTILE, defect, node)
                .libraries(
                        node,
                        AuditReports.library(
                                UserspaceFinding.LibraryDefect.DEVICE_ABI, HOSTILE, HOSTILE, HOSTILE, node))
                .refused(
                        0,
                        0,
                        NodeState.REBUILD,
                        new ModuleVerdict(HOSTILE, Outcome.INCOMPATIBLE, "EINVAL", List.of(finding), 0))
                .kernel(0, Map.of(NodeState.BLOCKED, node))
                .action(NodeState.REBUILD, 0, 0, node, "weaklink rebuild --kernel " + HOSTILE)
                .build();
    }

    private static Defect dangling(String module) {
        return new Defect(Defect.ModuleDefectKind.DANGLING_LINK, module, "/lib/modules/x/weak-updates/" + module);
    }

    private static ModuleVerdict crc(String module, String symbol) {
        String message = module + ": disagrees about version of symbol " + symbol;
        return new ModuleVerdict(
                module,
                Outcome.INCOMPATIBLE,
                "EINVAL",
                List.of(new AuditedFinding(
                        "symbol-crc", "symbol.crc-mismatch", symbol, "0x1a2b3c4d", "0x99aabbcc", message, REASON)),
                3);
    }

    private static String release(int number) {
        return "5.14.0-" + (500 + number) + ".el9.x86_64";
    }

    private static Nodes numbered(int first, int last) {
        List<String> names = new ArrayList<>();
        for (int i = first; i <= last; i++) {
            String number = "00" + i;
            names.add("cn" + number.substring(Math.min(2, number.length() - 3)));
        }
        return Nodes.of(names);
    }
}

package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import dev.weaklink.system.ModuleNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A trial build by DKMS in a tree below the work directory, so that DKMS's own tree stays unchanged. Only the isolation
 * keeps a package's scripts from writing elsewhere.
 *
 * @param dkms the backend that builds in DKMS's own tree
 * @param isolation a program with its arguments that confines the build to the work directory; may be empty
 * @param sources the directory with the sources of packages, each in {@code NAME-VERSION}
 * @param buildTree the kernel's build tree as the build sees it; empty for DKMS's default
 */
public record DkmsTrial(Backend dkms, List<String> isolation, String sources, String buildTree) implements Backend {
    public DkmsTrial {
        isolation = List.copyOf(isolation);
    }

    private static String tree(Job job) {
        return job.place().work() + "/dkms";
    }

    @Override
    public String id() {
        return dkms.id();
    }

    @Override
    public List<Step> steps(Job job) throws NotDoneException {
        List<Step> steps = new ArrayList<>();
        for (String label : job.packages()) {
            steps.add(step(label, job));
        }
        return steps;
    }

    private Step step(String label, Job job) throws NotDoneException {
        int slash = label.indexOf('/');
        if (slash < 0) {
            throw new NotDoneException("'" + label + "': DKMS's packages are named NAME/VERSION");
        }
        Arguments words = new Arguments("nice", "-n", "10", "dkms", "build")
                .option("-m", label.substring(0, slash))
                .option("-v", label.substring(slash + 1))
                .option("-k", job.place().kernel())
                .pathOption("--dkmstree", tree(job))
                .pathOption("--sourcetree", sources);
        if (!buildTree.isEmpty()) {
            words.pathOption("--kernelsourcedir", buildTree);
        }
        // sign_file keeps DKMS from looking for a key: the modules of a trial are not signed.
        Map<String, String> environment =
                Map.of("HOME", job.place().work(), "TMPDIR", "/tmp", "sign_file", "/nonexistent");
        return new Step("building " + label, words.list(), environment, null)
                .through(isolation)
                .building(label, List.of());
    }

    @Override
    public ExpectedOutput expected(Job job) throws NotDoneException {
        List<String> directories = new ArrayList<>();
        for (String label : job.packages()) {
            directories.add(tree(job) + "/" + label + "/" + job.place().kernel());
        }
        return new ExpectedOutput.Files(directories, "", ModuleNames.ENDINGS);
    }

    @Override
    public List<String> programs(Job job) {
        return dkms.programs(job);
    }

    @Override
    public BuildStatus ending(int status, List<String> lines) {
        return dkms.ending(status, lines);
    }

    @Override
    public List<String> milestones() {
        return dkms.milestones();
    }

    @Override
    public List<Step> installation(Job job, Set<String> replacing) {
        return List.of();
    }
}

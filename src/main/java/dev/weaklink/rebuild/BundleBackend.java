package dev.weaklink.rebuild;

import dev.weaklink.rebuild.Backend.BuildStatus;
import dev.weaklink.rebuild.Backend.ExpectedOutput;
import dev.weaklink.sys.NotDoneException;
import java.util.ArrayList;
import java.util.List;

/** The base class of the backends that build from an installation image of Mellanox. */
abstract class BundleBackend implements Backend {
    private final String result;

    private final String[] lastWords;

    BundleBackend(String result, String... lastWords) {
        this.result = result;
        this.lastWords = lastWords;
    }

    abstract Arguments command(Bundle bundle, String work) throws NotDoneException;

    abstract boolean saysAlreadyThere(String line);

    @Override
    public List<Step> steps(Job job) throws NotDoneException {
        List<Step> steps = new ArrayList<>();
        Bundle bundle = unpacked(job, steps);
        Arguments words = command(bundle, job.place().work())
                .option("-k", job.place().kernel())
                .pathOption("-s", job.place().buildTree());
        addSettings(words, job, bundle);
        steps.add(Step.of("building " + bundle.product() + " for " + job.place().kernel(), words.fixed(lastWords)));
        return steps;
    }

    @Override
    public List<String> debianPackages(Job job) {
        Bundle bundle = job.bundle();
        return bundle != null && bundle.debian() ? List.of("build-essential") : List.of();
    }

    @Override
    public boolean takesWords() {
        return true;
    }

    @Override
    public ExpectedOutput expected(Job job) {
        return new ExpectedOutput.Printed(result);
    }

    @Override
    public BuildStatus ending(int status, List<String> lines) {
        if (status != 0) {
            return BuildStatus.FAILED;
        }
        for (String line : lines) {
            if (line.startsWith(result)) {
                return BuildStatus.BUILT;
            }
            if (saysAlreadyThere(line)) {
                return BuildStatus.ALREADY_THERE;
            }
        }
        return BuildStatus.NOTHING_BUILT;
    }

    /** Returns the image as a directory; for an archive or an ISO file, adds the steps that unpack it. */
    private static Bundle unpacked(Job job, List<Step> steps) throws NotDoneException {
        Bundle bundle = job.bundle();
        if (bundle == null) {
            throw new NotDoneException(
                    "Mellanox's installation image is needed: name its directory or file with --bundle");
        }
        if (bundle.form() == Bundle.Form.FOREIGN) {
            throw new NotDoneException(bundle.path()
                    + ": cannot be used as an installation image; expected a directory with .mlnx, or a tar archive;"
                    + " for an ISO file, install xorriso or bsdtar, or mount it: mount -o loop,ro FILE DIR");
        }
        if (!bundle.isPacked()) {
            return bundle;
        }
        String directory = Arguments.path(job.place().work()) + "/bundle";
        steps.add(Step.of("making room", new Arguments("mkdir").file(directory)));
        steps.add(Step.of("unpacking " + bundle.path(), unpacking(bundle, directory)));
        if (bundle.form() == Bundle.Form.ISO) {
            // Files in an ISO image may be read-only, and unpacking preserves their modes.
            steps.add(Step.of("making it writable", new Arguments("chmod", "--recursive", "u+w").file(directory)));
        }
        return bundle.unpackedTo(directory);
    }

    private static Arguments unpacking(Bundle bundle, String directory) throws NotDoneException {
        if (bundle.unpacker().equals("xorriso")) {
            return new Arguments("xorriso", "-osirrox", "on")
                    .pathOption("-indev", bundle.path())
                    .fixed("-extract", "/")
                    .file(directory);
        }
        if (bundle.form() == Bundle.Form.ISO) {
            return new Arguments(bundle.unpacker(), "-x")
                    .pathOption("-C", directory)
                    .pathOption("-f", bundle.path());
        }
        return new Arguments("tar", "--extract", "--no-same-owner", "--strip-components=1")
                .pathOption("--directory", directory)
                .pathOption("--file", bundle.path());
    }

    private static void addSettings(Arguments words, Job job, Bundle bundle) throws NotDoneException {
        Job.Settings settings = job.settings();
        if (settings.kmp() && !bundle.debian()) {
            words.fixed("--kmp");
        }
        if (settings.skipRepo()) {
            words.fixed("--skip-repo");
        }
        String distro = settings.distro();
        if (distro != null) {
            words.option("--distro", distro);
        }
        words.further(settings.further());
    }

    @Override
    public long space(Job job) {
        Bundle bundle = job.bundle();
        return bundle == null ? 0 : (bundle.isPacked() ? 3 : 2) * bundle.size();
    }

    @Override
    public List<String> programs(Job job) {
        Bundle bundle = job.bundle();
        List<String> programs = new ArrayList<>(List.of("bash", "perl", "tar"));
        if (bundle != null && bundle.debian()) {
            programs.addAll(List.of("dpkg-buildpackage", "dh"));
        } else {
            programs.add("rpmbuild");
        }
        return programs;
    }
}

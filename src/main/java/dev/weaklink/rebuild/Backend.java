package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import java.util.List;
import java.util.Set;

/** A way to build modules for a kernel, such as DKMS. */
public interface Backend {
    String id();

    /**
     * Returns the programs to run one after the other. If a program fails, the build ends, unless the program builds
     * only one of several packages ({@link Step#subject}) or has an alternative ({@link Step#instead}).
     *
     * @throws NotDoneException if the job lacks a needed value or has an unsafe value
     */
    List<Step> steps(Job job) throws NotDoneException;

    ExpectedOutput expected(Job job) throws NotDoneException;

    List<String> programs(Job job);

    default boolean takesWords() {
        return false;
    }

    default List<String> debianPackages(Job job) {
        return List.of();
    }

    default Privilege privilege() {
        return Privilege.ROOT;
    }

    /** Returns the number of bytes that must be free in the work directory before the build starts. */
    default long space(Job job) {
        return 300L << 20;
    }

    default BuildStatus ending(int status, List<String> lines) {
        return status == 0 ? BuildStatus.BUILT : BuildStatus.FAILED;
    }

    default List<String> milestones() {
        return List.of();
    }

    /**
     * Returns the directories outside of the work directory that may contain logs of the build. weaklink finds such
     * logs through the paths in the build's output.
     */
    default List<String> logDirectories(Job job) throws NotDoneException {
        return List.of();
    }

    /**
     * Returns directories outside of the work directory. Every log that is written there during the build belongs to
     * this job.
     */
    default List<String> ownLogs(Job job) throws NotDoneException {
        return List.of();
    }

    /**
     * Returns the programs that install the built modules after the build; empty if the backend does not install
     * modules itself.
     *
     * @param replacing the packages of the job that replace a build or a link in the kernel's directory
     */
    default List<Step> installation(Job job, Set<String> replacing) throws NotDoneException {
        return List.of();
    }

    default List<Step> removal(Job job) throws NotDoneException {
        return List.of();
    }

    enum Privilege {
        ROOT,
        FAKE_ROOT,
        ANY
    }

    public enum BuildStatus {
        BUILT,
        ALREADY_THERE,
        NOTHING_BUILT,
        NOT_FOR_THIS_KERNEL,
        FAILED
    }

    public sealed interface ExpectedOutput {
        /**
         * A result file that the build's output names.
         *
         * @param prefix the text that precedes the path at the beginning of the line
         */
        record Printed(String prefix) implements ExpectedOutput {}

        /**
         * The result files, described by their directories and names.
         *
         * @param directories the absolute paths to search, at any depth
         * @param name the beginning of the names, may be empty
         * @param endings the possible ends of the names
         * @param fresh true if only files written during the build count
         */
        record Files(List<String> directories, String name, List<String> endings, boolean fresh)
                implements ExpectedOutput {
            public Files {
                directories = List.copyOf(directories);
                endings = List.copyOf(endings);
            }

            public Files(List<String> directories, String name, List<String> endings) {
                this(directories, name, endings, true);
            }
        }
    }
}

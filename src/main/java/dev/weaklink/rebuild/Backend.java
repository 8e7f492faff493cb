package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import java.util.List;
import java.util.Set;

/** One way to build modules for another kernel. */
public interface Backend {
    /** What {@code --backend} calls it. */
    String id();

    /**
     * The programs that are run, one after the other; the first that fails ends it.
     *
     * @throws NotDoneException if the job lacks something or has a value that is not safe
     */
    List<Step> steps(Job job) throws NotDoneException;

    /** Where the results will be. */
    ExpectedOutput expected(Job job) throws NotDoneException;

    /** Programs that it needs, other than a compiler and make. */
    List<String> programs(Job job);

    /** Whether what is given behind {@code --} is handed on to it. */
    default boolean takesWords() {
        return false;
    }

    /** Debian's packages that it insists on, beyond programs. */
    default List<String> debianPackages(Job job) {
        return List.of();
    }

    /** Whether it must be root, or think it is. */
    default Privilege privilege() {
        return Privilege.ROOT;
    }

    /** Bytes that have to be free where it works. */
    default long space(Job job) {
        return 300L << 20;
    }

    /** What the ending of a step means. */
    default BuildStatus ending(int status, List<String> lines) {
        return status == 0 ? BuildStatus.BUILT : BuildStatus.FAILED;
    }

    /** The beginnings of lines that say how far it has got. */
    default List<String> milestones() {
        return List.of();
    }

    /** Directories, other than the work directory, below which logs that it names may be read. */
    default List<String> logDirectories(Job job) throws NotDoneException {
        return List.of();
    }

    /** Directories, apart from the work directory, whose fresh logs are all of this job. */
    default List<String> ownLogs(Job job) throws NotDoneException {
        return List.of();
    }

    /**
     * What installs the modules it built, beyond what {@link #steps} did; empty if that is ours.
     *
     * @param replacing packages of the job of which the kernel has modules already, installed or linked
     */
    default List<Step> installation(Job job, Set<String> replacing) throws NotDoneException {
        return List.of();
    }

    /** What takes {@link #installation} back. */
    default List<Step> removal(Job job) throws NotDoneException {
        return List.of();
    }

    /** As whom a build must run. */
    enum Privilege {
        /** As root. */
        ROOT,
        /** As root, or under fakeroot(1). */
        FAKE_ROOT,
        /** As anybody. */
        ANY
    }

    /** What a build says of itself by its exit status and its words. */
    public enum BuildStatus {
        /** It says it was built. */
        BUILT,
        /** It says there is nothing to build, since there are modules for that kernel. */
        ALREADY_THERE,
        /** It ended as if all were well, and built nothing. */
        NOTHING_BUILT,
        /** The source says it is not for this kernel. */
        NOT_FOR_THIS_KERNEL,
        /** It failed. */
        FAILED
    }

    /** Where a build that ended well has left its results; looked up, not believed. */
    public sealed interface ExpectedOutput {
        /**
         * A file that it names in what it prints.
         *
         * @param prefix what stands before the path
         */
        record Printed(String prefix) implements ExpectedOutput {}

        /**
         * Files of certain places and names.
         *
         * @param directories absolute paths of where to look, at any depth
         * @param name what their names start with; may be empty
         * @param endings what their names end with, one of these
         * @param fresh whether only files count that came to be meanwhile
         */
        record Files(List<String> directories, String name, List<String> endings, boolean fresh)
                implements ExpectedOutput {
            public Files {
                directories = List.copyOf(directories);
                endings = List.copyOf(endings);
            }

            /** Of which only fresh ones count. */
            public Files(List<String> directories, String name, List<String> endings) {
                this(directories, name, endings, true);
            }
        }
    }
}

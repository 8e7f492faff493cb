package dev.weaklink.rebuild;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was found where a build is to run.
 *
 * @param root whether this process is root, or fakeroot makes it believe so
 * @param programs of those asked for, the ones that exist
 * @param freeBytes free where it works; -1 if unknown
 * @param treeRelease the release the build tree is for; null if there is no usable build tree
 * @param kernelCompiler major version of the gcc the kernel was built with, 0 if unknown
 * @param compiler major version of the installed gcc, 0 if there is none
 * @param holder who builds for this kernel already, null if nobody
 * @param signing how modules are signed and whether they must be
 * @param fitting whether the image's script knows this distribution; null if that is not known
 * @param indexers programs that the image's script looks for to make a repository of RPMs
 * @param missing Debian's packages that the build insists on and that are not installed
 */
public record Surroundings(
    boolean root,
    Set<String> programs,
    long freeBytes,
    @Nullable String treeRelease,
    int kernelCompiler,
    int compiler,
    @Nullable String holder,
    Signing signing,
    @Nullable Boolean fitting,
    List<String> indexers,
    List<String> missing) {
  public Surroundings {
    indexers = List.copyOf(indexers);
    missing = List.copyOf(missing);
    programs = Set.copyOf(programs);
  }

  /**
   * Signatures of modules.
   *
   * @param enforced whether the kernel will refuse modules without a signature it knows: by its
   *     configuration or under Secure Boot
   * @param keys whether {@code MODULE_SIGN_PRIV_KEY} and {@code MODULE_SIGN_PUB_KEY} name files
   * @param dkmsKey whether DKMS has a key of its own
   * @param unenrolled path of the certificate that would be signed with, if the machine's firmware
   *     and boot loader have no such key; null if they have, or that is not known
   */
  public record Signing(
      boolean enforced, boolean keys, boolean dkmsKey, @Nullable String unenrolled) {}
}

package dev.weaklink.check.userspace;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is built into a libibverbs (rdma-core libibverbs/dynamic_driver.c): where it looks for
 * providers, and how their files end.
 *
 * @param configuration the directory of the .driver files
 * @param providers the directory of the providers, empty if they are sought like any library
 * @param suffix what follows a provider's name, for example {@code -rdmav34.so}
 */
record VerbsLibrary(String configuration, String providers, String suffix) {
  static final String SONAME = "libibverbs.so.1";
  private static final String CONFIGURATION = "/etc/libibverbs.d";
  private static final Pattern PROVIDER =
      Pattern.compile("\0((?:/[\\w.+-]{1,255}){0,40})/?lib%s([\\w.+-]{1,64}\\.so)\0");
  private static final Pattern DIRECTORY =
      Pattern.compile("\0((?:/[\\w.+-]{1,255}){0,40}/libibverbs\\.d)\0");

  /**
   * Finds the three strings.
   *
   * @param file the library
   * @return with an empty suffix if it does not load providers (a static build)
   */
  static VerbsLibrary of(byte[] file) {
    String text = new String(file, StandardCharsets.ISO_8859_1);
    String providers = "";
    String suffix = "";
    Matcher provider = PROVIDER.matcher(text);
    for (int at = 0; provider.find(at); at = provider.end() - 1) {
      suffix = provider.group(2);
      if (!provider.group(1).isEmpty()) {
        providers = provider.group(1);
        break;
      }
    }
    Matcher directory = DIRECTORY.matcher(text);
    return new VerbsLibrary(
        directory.find() ? directory.group(1) : CONFIGURATION, providers, suffix);
  }
}

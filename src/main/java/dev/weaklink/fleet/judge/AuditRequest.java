package dev.weaklink.fleet.judge;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.kernel.LoaderRule;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an audit was asked about kernels.
 *
 * @param root the image whose kernels and store are meant, null for {@code /}
 * @param kernels releases and paths as typed
 * @param store where kernels are kept that were seen before, null for the root's own
 * @param loader loader rules set by hand
 * @param certificates files of certificates whose keys are trusted
 * @param modules files, directories and packages whose modules are those of nodes
 * @param explain find out why the CRCs of symbols changed
 * @param reading how modules are read
 */
public record AuditRequest(
    @Nullable Path root,
    List<String> kernels,
    @Nullable Path store,
    Map<LoaderRule, String> loader,
    List<String> certificates,
    List<String> modules,
    boolean explain,
    ReadOptions reading) {
  public AuditRequest {
    kernels = List.copyOf(kernels);
    loader = Map.copyOf(loader);
    certificates = List.copyOf(certificates);
    modules = List.copyOf(modules);
  }
}

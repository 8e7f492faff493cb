package dev.weaklink.check;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which kernel's image is meant.
 *
 * @param root the image of a system the kernel is installed in, null for {@code /}
 * @param files the kernel's image or its packages as typed; none for that of the installed kernel
 * @param release the kernel as typed, null for none if there are files, else the newest
 */
public record KernelRequest(@Nullable Path root, List<String> files, @Nullable String release) {
  public KernelRequest {
    files = List.copyOf(files);
  }

  Root openRoot() throws IOException {
    return root == null ? Root.HOST : Root.of(root);
  }
}

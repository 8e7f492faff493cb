package dev.weaklink.archive;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What an OCI image index or manifest points to (OCI image specification, image-index.md and
 * manifest.md); the rest of it is passed over.
 *
 * @param images manifests and indexes, for an index
 * @param layers layers from the lowest to the topmost, for a manifest
 */
record OciManifest(List<Descriptor> images, List<Descriptor> layers) {
  private static final JsonFactory JSON = new JsonFactory();

  /**
   * A pointer to a blob.
   *
   * @param digest its name, such as {@code sha256:…}; not checked
   * @param architecture of an image, empty if it is not told
   */
  record Descriptor(String digest, String architecture) {}

  static OciManifest parse(byte[] bytes) throws IOException {
    List<Descriptor> images = new ArrayList<>();
    List<Descriptor> layers = new ArrayList<>();
    try (JsonParser json = JSON.createParser(bytes)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedArchiveException("corrupt image: a manifest is not a JSON object");
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        boolean list = json.nextToken() == JsonToken.START_ARRAY;
        if (list && name.equals("manifests")) {
          descriptors(json, images);
        } else if (list && name.equals("layers")) {
          descriptors(json, layers);
        } else {
          json.skipChildren();
        }
      }
    } catch (JsonProcessingException e) {
      throw new MalformedArchiveException("corrupt image: a manifest is not valid JSON", e);
    }
    return new OciManifest(images, layers);
  }

  private static void descriptors(JsonParser json, List<Descriptor> found) throws IOException {
    while (json.nextToken() == JsonToken.START_OBJECT) {
      found.add(descriptor(json));
    }
  }

  private static Descriptor descriptor(JsonParser json) throws IOException {
    String digest = "";
    String architecture = "";
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      JsonToken value = json.nextToken();
      if (value == JsonToken.VALUE_STRING && name.equals("digest")) {
        digest = json.getText();
      } else if (value == JsonToken.START_OBJECT && name.equals("platform")) {
        architecture = architecture(json);
      } else {
        json.skipChildren();
      }
    }
    return new Descriptor(digest, architecture);
  }

  private static String architecture(JsonParser json) throws IOException {
    String architecture = "";
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      boolean wanted = json.currentName().equals("architecture");
      if (json.nextToken() == JsonToken.VALUE_STRING && wanted) {
        architecture = json.getText();
      } else {
        json.skipChildren();
      }
    }
    return architecture;
  }
}

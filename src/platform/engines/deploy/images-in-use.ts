/** Finds the images that the pods of a cluster use. */
import { type Client, fullImageName, pods } from '#platform/kube/simulated'

/** Returns full image names, including those of init containers. */
export const imagesInUse = (client: Client): ReadonlySet<string> =>
  new Set(
    client
      .list(pods)
      .flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])])
      .flatMap(({ image }) => (image === undefined ? [] : [fullImageName(image)])),
  )

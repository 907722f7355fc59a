/** The images that the pods of a cluster name. */
import { type Client, fullImageName, pods } from '#platform/kube'

/** Full names, of all containers. */
export const imagesInUse = (client: Client): ReadonlySet<string> =>
  new Set(
    client
      .list(pods)
      .flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])])
      .flatMap(({ image }) => (image === undefined ? [] : [fullImageName(image)])),
  )

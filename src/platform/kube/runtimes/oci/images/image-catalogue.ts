/** Images without layers: a name and tag map to a program of this machine and its arguments. */

/** A file or folder of the host that is mounted read-only into a container. */
export interface ProgramMount {
  source: string
  destination: string
}

/** The program behind an image. */
export interface ImageProgram {
  entrypoint: readonly string[]
  /** The arguments, unless the container sets its own. */
  command?: readonly string[]
  environment?: Readonly<Record<string, string>>
  workingDirectory?: string
  /** The uid unless the pod sets one; 0 by default. */
  user?: number
  mounts?: readonly ProgramMount[]
  /** The image contains only `mounts`, not the host's system folders. */
  bare?: boolean
  /** SIGTERM by default. */
  stopSignal?: NodeJS.Signals
  /** Shown by `kubectl describe node`. */
  sizeBytes?: number
}

/** Looks up a full name such as `docker.io/library/nginx:1.25`; undefined if the image does not exist. */
export type ImageCatalogue = (image: string) => ImageProgram | undefined

/** Combines catalogues: the first one that contains the image wins. */
export const combineCatalogues =
  (...catalogues: readonly ImageCatalogue[]): ImageCatalogue =>
  (image) => {
    for (const catalogue of catalogues) {
      const program = catalogue(image)
      if (program !== undefined) return program
    }
    return undefined
  }

/** Images without layers: a name and tag stand for a program of this machine and its arguments. */

/** A file or folder of the host that a container sees, read-only: its own program. */
export interface ProgramMount {
  source: string
  destination: string
}

/** What an image stands for. */
export interface ImageProgram {
  entrypoint: readonly string[]
  /** The arguments, unless the container gives its own. */
  command?: readonly string[]
  environment?: Readonly<Record<string, string>>
  workingDirectory?: string
  /** The number of the user that it runs as, where the pod does not say; 0 where absent. */
  user?: number
  mounts?: readonly ProgramMount[]
  /** Nothing is in it but `mounts`: the host's system folders are not. */
  bare?: boolean
  /** Asks it to end; SIGTERM where absent. */
  stopSignal?: NodeJS.Signals
  /** What `kubectl describe node` shows. */
  sizeBytes?: number
}

/** Gets the full name, `docker.io/library/nginx:1.25`; nothing for images that do not exist. */
export type ImageCatalogue = (image: string) => ImageProgram | undefined

/** The first catalogue that knows the image answers. */
export const firstOf =
  (...catalogues: readonly ImageCatalogue[]): ImageCatalogue =>
  (image) => {
    for (const catalogue of catalogues) {
      const program = catalogue(image)
      if (program !== undefined) return program
    }
    return undefined
  }

/** Loads a system from its folder; every failure is reported as a mistake in the folder. */
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { REPOSITORY } from '#kit'
import { RemediumError, type System } from '#spec'

const createFolderError = (folder: string, reason: string, cause?: unknown): RemediumError =>
  new RemediumError('bad-file', `The system in ${relative(REPOSITORY, folder)} cannot be loaded: ${reason}`, {
    hint: 'CONTRIBUTING.md describes the folder of a system.',
    cause,
  })

/** A RemediumError already names the file and the line of the mistake. */
const toFolderError = (folder: string, error: unknown): RemediumError =>
  error instanceof RemediumError ? error : createFolderError(folder, (error as Error).message, error)

/** Reports a failure to build the lazy parts, images and drawn releases, as a mistake in the folder. */
const guardLazyParts = (folder: string, system: System): System => {
  const guard = <T>(build: () => T): T => {
    try {
      return build()
    } catch (error) {
      throw toFolderError(folder, error)
    }
  }
  const { drawReleases } = system
  return Object.defineProperties({} as System, {
    ...Object.getOwnPropertyDescriptors(system),
    images: { enumerable: true, get: () => guard(() => system.images) },
    ...(drawReleases !== undefined && {
      drawReleases: { enumerable: true, value: (secret: string) => guard(() => drawReleases(secret)) },
    }),
  })
}

/** Rejects if the folder `name` of `root` is not a system, with an error about the folder. */
export const loadSystemFrom = async (root: string, name: string): Promise<System> => {
  const folder = join(root, name)
  const file = pathToFileURL(join(folder, 'system.ts'))
  const { system } = await import(/* @vite-ignore */ file.href).catch((error) => {
    throw toFolderError(folder, error)
  })
  if (system?.name !== name)
    throw createFolderError(folder, `system.ts must export the system "${name}" as "system".`)
  return guardLazyParts(folder, system)
}

/** Builds the images of a topology: the same program in each, and a file with the slices of its services. */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { lazily, REPOSITORY } from '#kit'
import type { ContainerView, Protocol, SystemImage, Topology } from '#spec'
import { packReleases, twinProgram } from '#world/twin'
import { splitImage } from './complete-service.ts'
import { createSimulatedSidecar, createSimulatedTwin } from './simulated-twins.ts'
import { type ImageSlices, toSlices } from './to-slices.ts'

const CACHE = join(REPOSITORY, 'node_modules', '.cache', 'remedium', 'services')
const FOLDER = '/opt/remedium'
/** Otherwise, SIGUSR1 would open Node's debugger, with which an agent could change a service in memory. */
const NODE = [`${FOLDER}/bin/node`, '--disable-sigusr1']
/** A small young generation keeps the memory of a process under load at a third of the default. */
const PROGRAM = [...NODE, '--max-semi-space-size=1', `${FOLDER}/twin/twin.cjs`]

/** The paths of the tools in the images of services, by protocol. */
const TOOLS: Readonly<Partial<Record<Protocol, readonly string[]>>> = {
  grpc: ['/bin/grpc_health_probe'],
  mysql: ['/usr/bin/mysql', '/usr/bin/mysqladmin', '/usr/bin/xenoncli'],
  redis: ['/usr/bin/redis-cli'],
  mongodb: ['/usr/bin/mongo', '/usr/bin/mongosh'],
  amqp: ['/usr/sbin/rabbitmqctl'],
}

/** The paths of the tools in the images of sidecars, by the name of the image. */
const SIDECAR_TOOLS: Readonly<Record<string, readonly string[]>> = {
  xenon: ['/usr/bin/xenoncli', '/usr/bin/mysql'],
}

/** Commands in manifests that every image provides. */
const SYSTEM_PROGRAMS = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|sleep|env|python3?)$/

/**
 * Writes a file to the cache and returns its folder. Renames the folder into place, because another process
 * can write the same file.
 */
const writeFile = (name: string, content: string | Uint8Array, mode = 0o644): string => {
  const hash = createHash('sha256').update(`${name}\n${mode}\n`).update(content).digest('hex')
  const folder = join(CACHE, hash.slice(0, 20))
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const temporaryFolder = mkdtempSync(`${folder}-`)
  try {
    chmodSync(temporaryFolder, 0o755)
    writeFileSync(join(temporaryFolder, name), content)
    chmodSync(join(temporaryFolder, name), mode)
    renameSync(temporaryFolder, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
  return folder
}

/** Lists the paths of the commands that manifests run instead of the entrypoint. In the image, each path runs the twin. */
const commandPathsOf = ({ services }: Topology, image: string): string[] => {
  const { repository } = splitImage(image)
  const commands = Object.values(services)
    .filter(({ deploy }) => splitImage(deploy.image).repository === repository)
    .map(({ deploy }) => deploy.command?.[0])
    .filter((command) => command !== undefined)
  return [...new Set(commands)]
    .filter((command) => !SYSTEM_PROGRAMS.test(command) && !command.startsWith(FOLDER))
    .map((command) => (isAbsolute(command) ? command : `/usr/local/bin/${command}`))
}

const commandMounts = (commands: readonly string[]): Record<string, string> => {
  if (commands.length === 0) return {}
  const script = join(writeFile('run', `#!/bin/sh\nexec ${PROGRAM.join(' ')} "$@"\n`, 0o755), 'run')
  return Object.fromEntries(commands.map((path) => [path, script]))
}

const toolPathsOf = ({ slices }: ImageSlices): string[] =>
  slices.flatMap(({ behaviour }) => TOOLS[behaviour.protocol] ?? [])

const toolMounts = (paths: readonly string[]): Record<string, string> => {
  const { tools } = twinProgram()
  return Object.fromEntries(
    paths.flatMap((path) => {
      const script = tools[path.slice(path.lastIndexOf('/') + 1)]
      return script === undefined ? [] : [[path, script]]
    }),
  )
}

/**
 * The images of sidecars. Each runs the tool with the name of the image: `xenon` for
 * `radondb/xenon:1.1.5-helm`.
 */
const sidecarImages = ({ services }: Topology): SystemImage[] => {
  const containers = Object.values(services).flatMap(({ deploy }) => [
    ...((deploy.sidecars ?? []) as readonly ContainerView[]),
    ...((deploy.initContainers ?? []) as readonly ContainerView[]),
  ])
  const images = new Set(containers.map(({ image }) => image).filter((image) => image !== undefined))
  return [...images].flatMap((image): SystemImage[] => {
    const tool = splitImage(image).repository.split('/').at(-1)!
    const paths = SIDECAR_TOOLS[tool]
    if (paths === undefined) return []
    const simulate = createSimulatedSidecar(tool, paths)
    return [
      {
        name: image,
        entrypoint: [...NODE, `${FOLDER}/twin/${tool}.cjs`],
        get folders() {
          return { [`${FOLDER}/twin`]: twinProgram().folder, ...toolMounts(paths) }
        },
        get simulated() {
          return simulate()
        },
      },
    ]
  })
}

/**
 * Returns the images of a topology. Reading the folders of an image bundles the twin if necessary. The salt changes how the
 * slices of the services are encoded, but not their content.
 */
export const toImages = (topology: Topology, salt = ''): SystemImage[] => [
  ...serviceImages(topology, salt),
  ...sidecarImages(topology),
]

const serviceImages = (topology: Topology, salt: string): SystemImage[] => {
  const byRepository = Map.groupBy(toSlices(topology), ({ image }) => splitImage(image).repository)
  return [...byRepository.values()].flatMap((releases) => {
    const files = lazily(() =>
      packReleases(
        releases.map(({ slices }) => (slices.length === 1 ? slices[0]! : slices)),
        salt,
      ),
    )
    return releases.map((entry, index) => {
      const tools = toolPathsOf(entry)
      const commands = commandPathsOf(topology, entry.image)
      const simulate = createSimulatedTwin(entry.slices, tools, commands)
      return {
        name: entry.image,
        entrypoint: PROGRAM,
        // A simulated cluster needs no bundle of the twin.
        get folders() {
          return {
            [`${FOLDER}/twin`]: twinProgram().folder,
            ...toolMounts(tools),
            ...commandMounts(commands),
          }
        },
        files: { [`${FOLDER}/service/service.bin`]: () => files()[index]! },
        get simulated() {
          return simulate()
        },
      }
    })
  })
}

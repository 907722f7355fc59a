/** The images of a topology: one program for all, and what each service is in a folder of its own. */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { SystemImage, Topology, Wire } from '../spec/index.ts'
import { packReleases, twinProgram } from '../twin/index.ts'
import { splitImage } from './complete-service.ts'
import { type ImageSlices, toSlices } from './to-slices.ts'

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'remedium', 'services')
const FOLDER = '/opt/remedium'
/** Little room for what is young: under load a process grows to a third of what it would without. */
const PROGRAM = [`${FOLDER}/bin/node`, '--max-semi-space-size=1', `${FOLDER}/twin/twin.cjs`]

/** Programs that an image of this kind has besides, and where. */
const TOOLS: Readonly<Partial<Record<Wire, readonly string[]>>> = {
  grpc: ['/bin/grpc_health_probe'],
  mysql: ['/usr/bin/mysql', '/usr/bin/mysqladmin', '/usr/bin/xenoncli'],
  redis: ['/usr/bin/redis-cli'],
  mongodb: ['/usr/bin/mongo', '/usr/bin/mongosh'],
  amqp: ['/usr/sbin/rabbitmqctl'],
}

/** What the images of sidecars have besides their own program. */
const SIDECAR_TOOLS: Readonly<Record<string, readonly string[]>> = {
  xenon: ['/usr/bin/xenoncli', '/usr/bin/mysql'],
}

/** Commands of manifests that are programs of the system already. */
const SYSTEM_PROGRAMS = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|sleep|env|python3?)$/

/** Gives the folder it is in. Written aside and put in place at once: another process may want the same. */
const writeFile = (name: string, content: string | Uint8Array, mode = 0o644): string => {
  const hash = createHash('sha256').update(`${name}\n${mode}\n`).update(content).digest('hex')
  const folder = join(CACHE, hash.slice(0, 20))
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const aside = mkdtempSync(`${folder}-`)
  try {
    chmodSync(aside, 0o755)
    writeFileSync(join(aside, name), content)
    chmodSync(join(aside, name), mode)
    renameSync(aside, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
  return folder
}

/** What manifests run instead of the entrypoint must be there too, and be the same program. */
const commandsOf = ({ services }: Topology, image: string): string[] => {
  const { repository } = splitImage(image)
  const commands = Object.values(services)
    .filter(({ deploy }) => splitImage(deploy.image).repository === repository)
    .map(({ deploy }) => deploy.command?.[0])
    .filter((command) => command !== undefined)
  return [...new Set(commands)].filter(
    (command) => !SYSTEM_PROGRAMS.test(command) && !command.startsWith(FOLDER),
  )
}

const commandMounts = (topology: Topology, image: string): Record<string, string> => {
  const commands = commandsOf(topology, image)
  if (commands.length === 0) return {}
  const script = join(writeFile('run', `#!/bin/sh\nexec ${PROGRAM.join(' ')} "$@"\n`, 0o755), 'run')
  return Object.fromEntries(
    commands.map((command) => [isAbsolute(command) ? command : `/usr/local/bin/${command}`, script]),
  )
}

const toolMounts = ({ slices }: ImageSlices): Record<string, string> => {
  const { tools } = twinProgram()
  const paths = slices.flatMap(({ behaviour }) => TOOLS[behaviour.wire] ?? [])
  return Object.fromEntries(
    paths.flatMap((path) => {
      const script = tools[path.slice(path.lastIndexOf('/') + 1)]
      return script === undefined ? [] : [[path, script]]
    }),
  )
}

/** Of containers beside a service: the tool that has the name of the image, `xenon` for `radondb/xenon:1.1.5-helm`. */
const sidecarImages = ({ services }: Topology): SystemImage[] => {
  const named = Object.values(services).flatMap(({ deploy }) => [
    ...((deploy.sidecars ?? []) as readonly { image?: string }[]),
    ...((deploy.initContainers ?? []) as readonly { image?: string }[]),
  ])
  const { folder, tools } = twinProgram()
  const images = new Set(named.map(({ image }) => image).filter((image) => image !== undefined))
  return [...images].flatMap((image) => {
    const tool = splitImage(image).repository.split('/').at(-1)!
    const paths = SIDECAR_TOOLS[tool]
    if (tools[tool] === undefined || paths === undefined) return []
    const mounts = paths.map((path) => [path, tools[path.slice(path.lastIndexOf('/') + 1)]])
    return {
      name: image,
      entrypoint: [`${FOLDER}/bin/node`, `${FOLDER}/twin/${tool}.cjs`],
      folders: { [`${FOLDER}/twin`]: folder, ...Object.fromEntries(mounts) },
    }
  })
}

/** Builds the twin where that has not been done yet, and writes what its services are. */
export const toImages = (topology: Topology): SystemImage[] => [
  ...serviceImages(topology),
  ...sidecarImages(topology),
]

const serviceImages = (topology: Topology): SystemImage[] => {
  const byRepository = Map.groupBy(toSlices(topology), ({ image }) => splitImage(image).repository)
  return [...byRepository.values()].flatMap((releases) => {
    const files = packReleases(releases.map(({ slices }) => (slices.length === 1 ? slices[0]! : slices)))
    return releases.map((entry, at) => ({
      name: entry.image,
      entrypoint: PROGRAM,
      folders: {
        [`${FOLDER}/twin`]: twinProgram().folder,
        [`${FOLDER}/service`]: writeFile('service.bin', files[at]!),
        ...toolMounts(entry),
        ...commandMounts(topology, entry.image),
      },
    }))
  })
}

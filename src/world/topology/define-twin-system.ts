/** Defines a system from a folder with a topology and journeys. */
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defined, lazily, readDocument } from '#kit'
import type { System, SystemImage, Topology, Workload } from '#spec'
import { failWith, parseJourneys } from '#world/workload'
import { suggest } from './check-calls.ts'
import { drawReleaseTags } from './draw-tags.ts'
import { liveEdges } from './edges.ts'
import { readImpact } from './read-impact.ts'
import { readSystemFile, readTopology, systemFileName } from './read-topology.ts'
import { loadSimulatedTwins } from './simulated-twins.ts'
import { toImages } from './to-images.ts'
import { toManifests } from './to-manifests.ts'
import type { SourceFile } from './topology-sources.ts'

const JOURNEYS = 'journeys.yaml'

const checkEntryPoints = ({ journeys }: Workload, { entryPoints }: Topology, source: SourceFile): void => {
  const document = readDocument(source.text, source.file)
  const names = entryPoints.map(({ name }) => name)
  const mistakes = journeys.flatMap(({ steps }, journey) =>
    steps.flatMap(({ entryPoint }, step) =>
      entryPoint === undefined || names.includes(entryPoint) || 'mistakes' in document
        ? []
        : [
            document.mistakeAt(
              ['journeys', journey, 'steps', step, 'entryPoint'],
              `names "${entryPoint}", which is not an entry point${suggest(entryPoint, names)}`,
            ),
          ],
    ),
  )
  if (mistakes.length > 0) failWith(mistakes)
}

const readWorkload = (folder: string, topology: Topology): Workload | undefined => {
  if (!existsSync(join(folder, JOURNEYS))) return undefined
  const source = { file: systemFileName(folder, JOURNEYS), text: readSystemFile(folder, JOURNEYS) }
  const workload = parseJourneys(source.text, source.file, folder)
  checkEntryPoints(workload, topology, source)
  return workload
}

const checkName = (folder: string, name: string): void => {
  if (name === basename(folder)) return
  const document = readDocument(
    readSystemFile(folder, 'topology.yaml'),
    systemFileName(folder, 'topology.yaml'),
  )
  const text = `is "${name}", but the folder is "${basename(folder)}"`
  failWith('mistakes' in document ? document.mistakes : [document.mistakeAt(['system'], text)])
}

/**
 * Checks the topology, the journeys and the impact in this order. Throws an error that lists all mistakes in
 * the first of them that has any. Images are built on first access, because only engines need them.
 */
export const defineTwinSystem = (folder: string): System => {
  const topology = readTopology(folder)
  const { system: name, about, namespace } = topology
  checkName(folder, name)
  const workload = readWorkload(folder, topology)
  const impact = readImpact(folder)
  const images = lazily((): readonly SystemImage[] => toImages(topology))
  const drawReleases = (secret: string) => {
    const drawn = drawReleaseTags(topology, secret)
    return { topology: drawn, images: toImages(drawn, secret) }
  }
  return {
    name,
    about,
    namespace,
    topology,
    manifests: toManifests(topology),
    get images() {
      return images()
    },
    entryPoints: topology.entryPoints.map((entry) => ({ ...entry, namespace })),
    edges: liveEdges(topology),
    drawReleases,
    loadSimulated: loadSimulatedTwins,
    ...defined({ workload, impact }),
  }
}

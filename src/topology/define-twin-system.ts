/** Declares the system of a folder that holds a topology and journeys. */
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { lazily, readDocument } from '../kit/index.ts'
import type { System, SystemImage, Topology, Workload } from '../spec/index.ts'
import { failWith, parseJourneys } from '../workload/index.ts'
import { guess } from './check-calls.ts'
import { liveEdges } from './edges.ts'
import { readImpact } from './read-impact.ts'
import { readSystemFile, readTopology } from './read-topology.ts'
import { toImages } from './to-images.ts'
import { toManifests } from './to-manifests.ts'

const JOURNEYS = 'journeys.yaml'

const checkDoors = ({ journeys }: Workload, { entryPoints }: Topology, text: string): void => {
  const document = readDocument(text, JOURNEYS)
  const names = entryPoints.map(({ name }) => name)
  const mistakes = journeys.flatMap(({ steps }, journey) =>
    steps.flatMap(({ entryPoint }, step) =>
      entryPoint === undefined || names.includes(entryPoint) || 'mistakes' in document
        ? []
        : [
            document.mistakeAt(
              ['journeys', journey, 'steps', step, 'entryPoint'],
              `names "${entryPoint}", which is no entry point${guess(entryPoint, names)}`,
            ),
          ],
    ),
  )
  if (mistakes.length > 0) failWith(mistakes)
}

const readWorkload = (folder: string, topology: Topology): Workload | undefined => {
  if (!existsSync(join(folder, JOURNEYS))) return undefined
  const text = readSystemFile(folder, JOURNEYS)
  const workload = parseJourneys(text, JOURNEYS)
  checkDoors(workload, topology, text)
  return workload
}

const checkName = (folder: string, name: string): void => {
  if (name === basename(folder)) return
  const document = readDocument(readSystemFile(folder, 'topology.yaml'), 'topology.yaml')
  const text = `is "${name}", and its folder is "${basename(folder)}"`
  failWith('mistakes' in document ? document.mistakes : [document.mistakeAt(['system'], text)])
}

/** The images are made when somebody asks for them: only engines do. Throws with all mistakes of the files. */
export const defineTwinSystem = (folder: string): System => {
  const topology = readTopology(folder)
  const { system: name, about, namespace } = topology
  checkName(folder, name)
  const workload = readWorkload(folder, topology)
  const impact = readImpact(folder)
  const images = lazily((): readonly SystemImage[] => toImages(topology))
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
    ...(workload === undefined ? {} : { workload }),
    ...(impact === undefined ? {} : { impact }),
  }
}

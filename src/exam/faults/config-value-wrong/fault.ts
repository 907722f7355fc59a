/** Fault: a wrong address in a ConfigMap. */
import {
  type ConfigLocation,
  configTask,
  deployedText,
  findUpstreamLocations,
  isConfigOtherwiseSame,
  leadsToDeployed,
  mountersOf,
  neededEdges,
  readConfigValue,
  readersOf,
  readInText,
  replacePods,
  restartTarget,
  restartTask,
  restartUpstream,
  restoreConfig,
  setConfigValues,
  shortAddress,
  toPlaybook,
} from '#exam/fault-parts'
import { defineFault, type FaultTarget, type SystemView } from '#spec'

const toLocation = ({ map, file, path }: FaultTarget): ConfigLocation => ({
  map: String(map),
  file: String(file),
  path: String(path),
})

/** Changes `rate:27017` to `rate:27018` or `rate-svc:27017`, a port to the next port, and `rate` to `rate-svc`. */
const misspell = (value: unknown, mistake: unknown): unknown => {
  if (typeof value === 'number') return value + 1
  const [host, port] = String(value).split(':')
  if (port === undefined) return `${host}-svc`
  return mistake === 'port' ? `${host}:${Number(port) + 1}` : `${host}-svc:${port}`
}

const isAddress = (value: unknown): boolean =>
  typeof value === 'number' || /^[\w-]+(:\d+)?$/.test(String(value))

/** A registry is not a suitable upstream: all services share its address. */
const isRegistry = (system: SystemView, service: string): boolean =>
  ['consul', 'nacos'].includes(system.topology?.services[service]?.behaviour.protocol ?? '')

const targetsOf = (system: SystemView, service: string): FaultTarget[] =>
  findUpstreamLocations(system, service, 'address')
    .filter(
      ({ upstream, ...location }) =>
        !isRegistry(system, upstream) &&
        neededEdges(system).some(({ from, to }) => from === service && to === upstream) &&
        isAddress(readInText(deployedText(system, location), location.path)),
    )
    .map((location) => ({ service, ...location }))

export const fault = defineFault({
  name: 'config-value-wrong',
  about:
    'A ConfigMap holds a wrong address, and the service that reads it at its start cannot reach its upstream',
  category: 'pod-config-error',
  layer: 'application',
  type: 'misconfiguration',
  binding: 'cause',
  parameters: {
    mistake: {
      type: 'choice',
      about: 'The wrong part of an address with host and port',
      choices: ['host', 'port'],
      default: 'host',
    },
  },
  symptoms: [
    'the service has been unable to reach an upstream since its last start',
    'its log names an address that does not respond',
  ],
  targets: (system) =>
    system.workloads
      .filter(({ service }) => system.impactOf(service).down.length > 0)
      .flatMap(({ service }) => targetsOf(system, service)),
  async inject(context) {
    const { system, target, params } = context
    const location = toLocation(target)
    const right = readInText(deployedText(system, location), location.path)
    const wrong = misspell(right, params.mistake)
    await setConfigValues(context, location, { [location.path]: wrong })
    await replacePods(context, target.service)
    return { wrong }
  },
  async recover(context) {
    await restoreConfig(context, toLocation(context.target))
    await replacePods(context, context.target.service)
  },
  isGone(snapshot) {
    const { system, target, now } = snapshot
    const location = toLocation(target)
    const normalise = (value: unknown): unknown =>
      typeof value === 'string' ? shortAddress(system, value) : value
    const right = normalise(readInText(deployedText(system, location), location.path))
    const findings = [...new Set([target.service, ...readersOf(system, location)])].map((service) => ({
      service,
      value: readConfigValue(now, system, service, location),
      isSame: isConfigOtherwiseSame(snapshot, service, location),
    }))
    const texts = findings.map(
      ({ service, value, isSame }) =>
        `${service} reads ${JSON.stringify(value)}${isSame ? '' : ', and other values were changed'}`,
    )
    return {
      holds: findings.every(
        ({ value, isSame }) =>
          isSame && (normalise(value) === right || leadsToDeployed(snapshot, value, right)),
      ),
      evidence: `as ${location.path} in ${location.file}, ${texts.join('; ')}`,
    }
  },
  // A repair may create a ConfigMap under another name, and all services that mount it get new pods.
  scope: ({ system, target }) => ({
    services: [...new Set([target.service, ...mountersOf(system, String(target.map))])],
  }),
  fix: ({ system, target }) =>
    toPlaybook('Correct the configuration', [
      configTask('Restore the value', system, toLocation(target)),
      restartTask('Restart the service so that it reads the value', system, target.service),
    ]),
  hacks: [restartTarget, restartUpstream],
})

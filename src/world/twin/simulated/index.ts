/** Twins in simulated containers: their protocols, stores and registries run in this process, on the network of a host. */
export { createSimulatedTwinHost } from './create-simulated-twin-host.ts'
export { openSimulatedStoreClient } from './open-simulated-store-client.ts'
export { runSimulatedTwin } from './run-simulated-twin.ts'
export { controlSimulatedBroker } from './stores/simulated-amqp.ts'
export { simulatedTools } from './tools/simulated-tools.ts'

/** The tools of images in simulated containers, by the names of the programs. */
import type { SimulatedProgram } from '#spec'
import { grpcHealthProbe } from './grpc-health-probe.ts'
import { mongoProgram } from './mongo-program.ts'
import { mysqladminProgram, mysqlProgram } from './mysql-programs.ts'
import { redisProgram } from './redis-program.ts'
import { xenoncliProgram, xenonProgram } from './xenon-programs.ts'

export const simulatedTools: Readonly<Record<string, SimulatedProgram>> = {
  grpc_health_probe: grpcHealthProbe,
  mongo: mongoProgram,
  mongosh: mongoProgram,
  mysql: mysqlProgram,
  mysqladmin: mysqladminProgram,
  'redis-cli': redisProgram,
  xenon: xenonProgram,
  xenoncli: xenoncliProgram,
}

/** `mongo [db] -u user -p password --authenticationDatabase admin --eval 'db.runCommand({...})'`. */
import { runMongoProgram } from './mongo-program/run-mongo-program.ts'

void runMongoProgram(process.argv.slice(2))

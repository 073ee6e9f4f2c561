import { describeContract } from './contract.ts';
import { engineProcess } from './shell.ts';

describeContract(engineProcess);

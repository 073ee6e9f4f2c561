import { describeContract } from './contract.ts';
import { inProcess } from './shell.ts';

describeContract(inProcess);

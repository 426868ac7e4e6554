// SPDX-License-Identifier: Apache-2.0
// Every command of numaprof has this form: it gets its own arguments (argv[0] is the command's name) and returns the
// exit status. commands.c holds the table; only main.c calls exit.
#ifndef PROFILER_COMMANDS_COMMAND_H
#define PROFILER_COMMANDS_COMMAND_H

int cmd_run(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_topology(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_try(int argc, char **argv);
int cmd_policies(int argc, char **argv);
int cmd_reports(int argc, char **argv);  // report, diff, export ...: the Python program
int cmd_experiments_hand_over(int argc, char **argv); // the same, with the way back to this program
int cmd_help(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_run_and_check(int argc, char **argv); // its part that records

#endif
